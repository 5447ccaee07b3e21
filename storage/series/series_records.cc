#include "storage/series/series_records.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_format.h"
#include "base/stored_document.h"

namespace dl::storage {
namespace {

constexpr auto kColumnKeys = [](auto& keys, auto& column) {
  keys.Value("name", column.name, {.required = true});
  keys.Value("short", column.is_short, {.omit_default = true});
};

constexpr auto kColumnsKeys = [](auto& keys, auto& columns) {
  keys.List("columns", columns.columns, kColumnKeys, {.required = true});
  std::set<std::string_view> names;
  for (const SeriesColumn& column : columns.columns) names.insert(column.name);
  keys.Check(names.size() == columns.columns.size(), "columns", "must have different names");
  keys.Check(columns.columns.size() <= kMaxSeries, "columns", "has too many series");
};

constexpr auto kBranchKeys = [](auto& keys, auto& branch) {
  keys.Value("number", branch.number, {.required = true, .min = 1});
  keys.Value("first", branch.first, {.required = true, .min = 1});
  keys.Value("last", branch.last, {.required = true, .min = 1});
};

constexpr auto kFoldedKeys = [](auto& keys, auto& folded) {
  keys.Value("rounds", folded.rounds, {.required = true, .min = 0});
  keys.Value("rollbacks", folded.rollbacks, {.required = true, .min = 0});
  keys.List("branches", folded.branches, kBranchKeys, {.required = true});
};

template <typename Record, typename Describe>
StatusOr<Record> Parse(const DocumentKind& kind, std::string_view text, std::string_view where,
                       Describe describe) {
  auto json = ParseJson(text, where);
  if (!json.ok()) return StoredDocumentError(kind, json.status(), where);
  return ReadDocument<Record>(kind, *json, where, describe);
}

}  // namespace

std::optional<int32_t> SeriesColumns::Find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &SeriesColumn::name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<int32_t>(found - columns.begin());
}

std::string RecordText(const SeriesColumns& columns) {
  return JsonText(WriteDocument(kSeriesColumnsDocument, columns, kColumnsKeys));
}

StatusOr<SeriesColumns> ParseSeriesColumns(std::string_view text, std::string_view where) {
  return Parse<SeriesColumns>(kSeriesColumnsDocument, text, where, kColumnsKeys);
}

std::string RecordText(const FoldedSeries& folded) {
  return JsonText(WriteDocument(kFoldedSeriesDocument, folded, kFoldedKeys));
}

StatusOr<FoldedSeries> ParseFoldedSeries(std::string_view text, std::string_view where) {
  return Parse<FoldedSeries>(kFoldedSeriesDocument, text, where, kFoldedKeys);
}

namespace series_keys {

std::string Prefix(const std::string& job) { return "series/" + job + "/"; }
std::string Columns(const std::string& job) { return Prefix(job) + "columns"; }
std::string Folded(const std::string& job) { return Prefix(job) + "folded"; }
std::string RowPrefix(const std::string& job) { return Prefix(job) + "row/"; }

std::string Row(const std::string& job, int64_t place) {
  return absl::StrFormat("%s%012d", RowPrefix(job), place);
}

std::string Values(const std::string& job, int32_t series, int64_t block) {
  return absl::StrFormat("%svalues/%04d/%09d", Prefix(job), series, block);
}

std::string Level(const std::string& job, int level, int32_t series, int64_t block) {
  return absl::StrFormat("%slevel%02d/%04d/%09d", Prefix(job), level, series, block);
}

std::string BranchPrefix(const std::string& job, int64_t branch) {
  return absl::StrFormat("%sbranch/%06d/", Prefix(job), branch);
}

std::string Branch(const std::string& job, int64_t branch, int32_t series, int64_t block) {
  return absl::StrFormat("%s%04d/%09d", BranchPrefix(job, branch), series, block);
}

}  // namespace series_keys
}  // namespace dl::storage
