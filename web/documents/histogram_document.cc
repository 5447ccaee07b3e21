#include "web/documents/histogram_document.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::web {
namespace {

// Returns the quantiles that the page shows, by their shares.
Json QuantilesOf(const Json& shares, const Json& values) {
  Json quantiles = Json::array();
  for (size_t i = 0; i < shares.size() && i < values.size(); ++i) {
    const double share = shares[i].is_number() ? shares[i].get<double>() : 0;
    // The outermost quantiles are only bounds of buckets.
    if (share > 0 && share < 1)
      quantiles.push_back({{"value", values[i]}, {"is_inner", share == 0.25 || share == 0.75}});
  }
  return quantiles;
}

// Splits "layer/conv1/parameters" into the layer, whose name may have slashes, and the last part.
std::pair<std::string, std::string> PartsOf(const std::string& name) {
  const size_t from = name.find('/') + 1, to = name.rfind('/');
  if (to == std::string::npos || to < from) return {name, ""};
  return {name.substr(from, to - from), name.substr(to + 1)};
}

// Returns the positions of the model's layers by name.
std::map<std::string, size_t> PositionsOf(const Json& model) {
  std::map<std::string, size_t> positions;
  for (const Json& layer : model.value("layers", Json::array()))
    positions.emplace(layer.value("name", ""), positions.size());
  return positions;
}

}  // namespace

StatusOr<Json> ReadNewestHistograms(rpc::ClientService& master, const std::string& job,
                                    const Json& model) {
  DL_ASSIGN_OR_RETURN(
      const rpc::QueryReply reply,
      master.Query(
          {.what = rpc::QueryKind::kHistograms, .job = job, .series = "*", .max_entries = 1},
          limits::kControlDeadline));
  DL_ASSIGN_OR_RETURN(const Json answer, ParseJson(reply.json, job));
  const std::map<std::string, size_t> positions = PositionsOf(model);
  const Json shares = answer.value("shares", Json::array());
  std::vector<Json> rows;
  Json round;
  for (const Json& histogram : answer.value("histograms", Json::array())) {
    const std::string name = histogram.value("name", "");
    const Json rounds = histogram.value("rounds", Json::array());
    if (rounds.empty()) continue;
    round = rounds.back();
    const auto [layer, of] = PartsOf(name);
    rows.push_back(
        {{"name", name},
         {"layer", layer},
         {"of", of},
         {"values", histogram.value("values", Json::array()).back()},
         {"quantiles", QuantilesOf(shares, histogram.value("quantiles", Json::array()).back())}});
  }
  if (rows.empty()) return Json();
  // The rows of a layer keep their order: parameters, changes, activations.
  std::ranges::stable_sort(rows, {}, [&](const Json& row) {
    const std::string layer = row.value("layer", "");
    const auto position = positions.find(layer);
    return std::pair(position == positions.end() ? positions.size() : position->second, layer);
  });
  return Json{{"round", std::move(round)}, {"rows", std::move(rows)}};
}

}  // namespace dl::web
