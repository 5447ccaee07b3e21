#include "master/gateway/series_answer.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "master/core/record_keys.h"
#include "master/gateway/name_patterns.h"
#include "master/gateway/short_number.h"
#include "storage/series/series_reader.h"

namespace dl::master {
namespace {

using storage::Curve;
using storage::SeriesBranch;
using storage::SeriesReader;
using storage::ValueSummary;

Json NumbersJson(const Curve& curve, float ValueSummary::*member) {
  Json numbers = Json::array();
  for (const ValueSummary& entry : curve.entries) numbers.push_back(ShortNumberJson(entry.*member));
  return numbers;
}

Json CurveJson(const Curve& curve, const std::string& name) {
  Json json = {{"name", name},
               {"first", curve.first},
               {"step", storage::RoundsOfEntry(curve.level)},
               {"mean", NumbersJson(curve, &ValueSummary::mean)}};
  if (curve.level == 0) return json;  // each entry is one value
  json["min"] = NumbersJson(curve, &ValueSummary::min);
  json["max"] = NumbersJson(curve, &ValueSummary::max);
  return json;
}

// Returns the branch that the request names, or nullopt for the main curve.
StatusOr<std::optional<SeriesBranch>> BranchOf(const SeriesReader& reader,
                                               const rpc::QueryRequest& request) {
  if (request.branch == 0) return std::nullopt;
  for (const SeriesBranch& branch : reader.branches()) {
    if (branch.number == request.branch) return branch;
  }
  return NotFound({.message = absl::StrCat("no rounds of rollback ", request.branch, " are stored"),
                   .where = request.job});
}

Status Check(const rpc::QueryRequest& request) {
  if (request.first < 0 || request.last < 0 || request.branch < 0)
    return InvalidArgument({.message = "numbers of rounds and rollbacks must be at least 0"});
  if (request.max_entries < 0 || request.max_entries == 1)
    return InvalidArgument({.message = "a curve has at least 2 entries", .where = "max_entries"});
  return absl::OkStatus();
}

// Returns nullopt if rows were folded during the read.
StatusOr<std::optional<std::string>> ReadOnce(storage::MetaStore& meta,
                                              const rpc::QueryRequest& request) {
  DL_RETURN_IF_ERROR(Check(request));
  const int64_t entries = request.max_entries == 0 ? 1000 : request.max_entries;
  const int64_t last = request.last == 0 ? INT64_MAX : request.last;
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> record, meta.Get(keys::Job(request.job)));
  if (!record) return NotFound({.message = "no such job", .where = request.job});
  DL_ASSIGN_OR_RETURN(const NamePatterns patterns, NamePatterns::Parse(request.series));
  const auto is_selected = [&](const storage::SeriesColumn& column) {
    return patterns.Match(column.name);
  };
  DL_ASSIGN_OR_RETURN(const SeriesReader reader,
                      SeriesReader::Open(meta, request.job, is_selected));
  std::vector<int32_t> selected;
  for (size_t i = 0; i < reader.columns().columns.size(); ++i) {
    if (is_selected(reader.columns().columns[i])) selected.push_back(static_cast<int32_t>(i));
  }
  DL_ASSIGN_OR_RETURN(const std::optional<SeriesBranch> branch, BranchOf(reader, request));
  const int64_t rounds = branch ? branch->last - branch->first + 1
                                : std::min(last, reader.rounds()) - request.first + 1;
  const int64_t of_curve = std::clamp<int64_t>(rounds, 1, entries);
  if (std::ssize(selected) > kMaxCurveEntries / of_curve) {
    return InvalidArgument(
        {.message = absl::StrCat(selected.size(), " curves of ", of_curve,
                                 " points are more than an answer may have"),
         .where = request.job,
         .remedy = absl::StrCat("Name fewer series, or at most ",
                                std::max<int64_t>(2, kMaxCurveEntries / std::ssize(selected)),
                                " points")});
  }
  Json names = Json::array(), curves = Json::array(), branches = Json::array();
  for (const storage::SeriesColumn& column : reader.columns().columns) names.push_back(column.name);
  for (const int32_t series : selected) {
    DL_ASSIGN_OR_RETURN(const Curve curve, branch
                                               ? reader.ReadBranch(*branch, series, entries)
                                               : reader.Read(series, request.first, last, entries));
    curves.push_back(CurveJson(curve, names[static_cast<size_t>(series)]));
  }
  for (const SeriesBranch& removed : reader.branches())
    branches.push_back(
        {{"number", removed.number}, {"first", removed.first}, {"last", removed.last}});
  DL_ASSIGN_OR_RETURN(const bool is_current, reader.IsCurrent());
  if (!is_current) return std::nullopt;
  return JsonText(Json{{"job", request.job},
                       {"rounds", reader.rounds()},
                       {"series", std::move(names)},
                       {"curves", std::move(curves)},
                       {"rolled_back", std::move(branches)}});
}

}  // namespace

StatusOr<std::string> SeriesAnswer(storage::MetaStore& meta, const rpc::QueryRequest& request) {
  constexpr int kAttempts = 10;  // rows are folded once in 1,024 rounds
  for (int i = 0; i < kAttempts; ++i) {
    DL_ASSIGN_OR_RETURN(std::optional<std::string> answer, ReadOnce(meta, request));
    if (answer) return *std::move(answer);
  }
  return Unavailable({.message = "the series changed during every attempt to read them",
                      .where = request.job,
                      .remedy = "Try again later"});
}

}  // namespace dl::master
