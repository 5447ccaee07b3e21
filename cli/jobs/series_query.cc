#include "cli/jobs/series_query.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/limits.h"

namespace dl::cli {
namespace {

std::vector<std::optional<double>> NumbersIn(const Json& curve, const char* key) {
  std::vector<std::optional<double>> numbers;
  const auto found = curve.find(key);
  if (found == curve.end()) return numbers;
  for (const Json& number : *found) {
    numbers.emplace_back(number.is_number() ? std::optional(number.get<double>()) : std::nullopt);
  }
  return numbers;
}

bool IsCurve(const Json& json) {
  return json.is_object() && json.contains("name") && json["name"].is_string() &&
         json.contains("first") && json["first"].is_number_integer() && json.contains("step") &&
         json["step"].is_number_integer() && json.contains("mean") && json["mean"].is_array();
}

bool IsReply(const Json& json) {
  if (!json.is_object() || !json.contains("rounds") || !json["rounds"].is_number_integer())
    return false;
  for (const char* key : {"series", "curves"}) {
    if (!json.contains(key) || !json[key].is_array()) return false;
  }
  for (const Json& name : json["series"]) {
    if (!name.is_string()) return false;
  }
  for (const Json& curve : json["curves"]) {
    if (!IsCurve(curve)) return false;
  }
  return true;
}

}  // namespace

std::optional<RoundRange> ParseRoundRange(const std::string& text) {
  RoundRange range;
  const size_t dash = text.find('-');
  if (!absl::SimpleAtoi(text.substr(0, dash), &range.first) || range.first < 1) return std::nullopt;
  if (dash == std::string::npos) {
    range.last = range.first;
    return range;
  }
  const std::string last = text.substr(dash + 1);
  if (last.empty()) return range;
  if (!absl::SimpleAtoi(last, &range.last) || range.last < range.first) return std::nullopt;
  return range;
}

StatusOr<SeriesReply> FindSeries(rpc::ClientService& client, const rpc::QueryRequest& request) {
  DL_ASSIGN_OR_RETURN(const rpc::QueryReply answer,
                      client.Query(request, limits::kControlDeadline));
  SeriesReply reply;
  DL_ASSIGN_OR_RETURN(reply.json, ParseJson(answer.json, "the master's answer"));
  if (!IsReply(reply.json))
    return InvalidArgument({.message = "the master's answer has no curves", .where = request.job});
  reply.rounds = reply.json["rounds"].get<int64_t>();
  for (const Json& name : reply.json["series"]) reply.names.push_back(name.get<std::string>());
  for (const Json& curve : reply.json["curves"]) {
    reply.curves.push_back({.name = curve["name"].get<std::string>(),
                            .first = curve["first"].get<int64_t>(),
                            .step = curve["step"].get<int64_t>(),
                            .mean = NumbersIn(curve, "mean"),
                            .min = NumbersIn(curve, "min"),
                            .max = NumbersIn(curve, "max")});
  }
  return reply;
}

StatusOr<SeriesReply> QuerySeries(rpc::ClientService& client, const rpc::QueryRequest& request) {
  DL_ASSIGN_OR_RETURN(SeriesReply reply, FindSeries(client, request));
  if (reply.curves.empty()) {
    const std::string why = reply.names.empty() ? "has no figures by round yet"
                                                : absl::StrCat("has no series ", request.series);
    return NotFound({.message = absl::StrCat(request.job, " ", why),
                     .where = "--series",
                     .remedy = reply.names.empty()
                                   ? ""
                                   : "Its series are: " + absl::StrJoin(reply.names, ", ")});
  }
  return reply;
}

}  // namespace dl::cli
