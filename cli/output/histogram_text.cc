#include "cli/output/histogram_text.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "cli/output/table.h"

namespace dl::cli {
namespace {

std::string ShareName(double share) { return absl::StrFormat("%g%%", 100 * share); }

}  // namespace

std::string HistogramText(const HistogramReply& reply) {
  std::vector<std::vector<std::string>> rows = {{"name", "round"}};
  // The outermost quantiles are only bounds of buckets, and the columns must fit into a terminal.
  const auto is_shown = [&](size_t i) { return reply.shares[i] > 0 && reply.shares[i] < 1; };
  for (size_t i = 0; i < reply.shares.size(); ++i) {
    if (is_shown(i)) rows.front().push_back(ShareName(reply.shares[i]));
  }
  for (const RecordedHistogram& histogram : reply.histograms) {
    std::vector<std::string> row = {histogram.name, absl::StrCat(histogram.round)};
    for (size_t i = 0; i < histogram.quantiles.size(); ++i) {
      if (is_shown(i)) row.push_back(absl::StrFormat("%.3g", histogram.quantiles[i]));
    }
    rows.push_back(std::move(row));
  }
  return absl::StrCat("Share of the values below each number:\n", RenderTable(std::move(rows)));
}

std::string HistogramCsv(const HistogramReply& reply) {
  std::string text = "name,round,values";
  for (const double share : reply.shares) absl::StrAppend(&text, ",", ShareName(share));
  text += '\n';
  for (const RecordedHistogram& histogram : reply.histograms) {
    absl::StrAppend(&text, histogram.name, ",", histogram.round, ",", histogram.values);
    for (const double quantile : histogram.quantiles)
      absl::StrAppend(&text, ",", JsonText(Json(quantile)));
    text += '\n';
  }
  return text;
}

Json HistogramJson(const std::string& job, const HistogramReply& reply) {
  std::map<std::string, size_t> places;
  Json columns = Json::array();
  for (const RecordedHistogram& histogram : reply.histograms) {
    const auto [place, is_new] = places.emplace(histogram.name, columns.size());
    if (is_new) columns.push_back({{"name", histogram.name}});
    Json buckets = Json::array();
    for (const HistogramBucket& bucket : histogram.buckets)
      buckets.push_back({bucket.low, bucket.high, bucket.count});
    Json& column = columns[place->second];
    column["rounds"].push_back(histogram.round);
    column["values"].push_back(histogram.values);
    column["quantiles"].push_back(histogram.quantiles);
    column["buckets"].push_back(std::move(buckets));
  }
  return {{"job", job},
          {"rounds", reply.rounds},
          {"every_rounds", reply.every_rounds},
          {"shares", reply.shares},
          {"histograms", std::move(columns)}};
}

}  // namespace dl::cli
