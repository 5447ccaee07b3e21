#include "dataset/readers/table/table_columns.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/suggest.h"

namespace dl::dataset {
namespace {

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string Listed(const std::vector<std::string>& names) {
  constexpr size_t kMost = 8;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == kMost) break;
    shown.push_back(absl::StrCat("\"", Excerpt(name), "\""));
  }
  return absl::StrCat(
      absl::StrJoin(shown, ", "),
      names.size() > kMost ? absl::StrCat(" and ", names.size() - kMost, " more") : "");
}

// Returns how many names of the model's columns are in the first row.
size_t CountNames(const std::vector<std::string>& names, const std::vector<std::string>& row) {
  size_t count = 0;
  for (const std::string& name : names) count += Has(row, name);
  return count;
}

}  // namespace

std::vector<std::string> ColumnNamesOf(const Schema& schema) {
  if (schema.columns().empty() || schema.feature_names().empty()) return schema.feature_names();
  std::vector<std::string> names;
  for (const FeatureColumn& column : schema.columns()) names.push_back(column.name);
  return names;
}

int64_t ColumnCountOf(const Schema& schema) {
  return schema.columns().empty() ? schema.StepSize()
                                  : static_cast<int64_t>(schema.columns().size());
}

std::vector<std::string> LabelNamesOf(const Schema& schema) {
  std::vector<std::string> names;
  for (const job::Column& column : schema.label_columns.all) {
    if (const auto* name = std::get_if<std::string>(&column)) names.push_back(*name);
  }
  return names;
}

std::vector<std::string> WeightNamesOf(const Schema& schema) {
  if (!schema.weights || !schema.weights->column) return {};
  const auto* name = std::get_if<std::string>(&*schema.weights->column);
  return name == nullptr ? std::vector<std::string>() : std::vector<std::string>{*name};
}

const FeatureColumn* KnownColumn(const Schema& schema, const std::vector<std::string>& first_row,
                                 size_t index) {
  if (schema.columns().empty()) return nullptr;
  const std::vector<std::string> names = ColumnNamesOf(schema);
  if (!names.empty()) {
    if (2 * CountNames(names, first_row) < names.size()) return nullptr;
    const auto found = std::find(names.begin(), names.end(), first_row[index]);
    return found == names.end() ? nullptr : &schema.columns()[found - names.begin()];
  }
  // Labels and weights are not counted among the features.
  size_t feature = index;
  if (first_row.size() > schema.columns().size()) {
    std::vector<job::Column> others = schema.label_columns.all;
    if (schema.weights && schema.weights->column) others.push_back(*schema.weights->column);
    for (const job::Column& column : others) {
      const auto* place = std::get_if<int64_t>(&column);
      if (place == nullptr) continue;
      if (*place == static_cast<int64_t>(index)) return nullptr;
      if (*place < static_cast<int64_t>(index)) --feature;
    }
  }
  return feature < schema.columns().size() ? &schema.columns()[feature] : nullptr;
}

HeaderFit FitHeader(const Schema& schema, const std::vector<std::string>& header) {
  const std::vector<std::string> names = ColumnNamesOf(schema), labels = LabelNamesOf(schema);
  HeaderFit fit;
  for (const std::string& name : names) {
    if (!Has(header, name)) fit.missing.push_back(name);
  }
  for (const std::string& name : header) {
    if (Has(names, name)) continue;
    (Has(labels, name) ? fit.labels : fit.added).push_back(name);
  }
  return fit;
}

Status CheckNoneMissing(const HeaderFit& fit, const std::string& path) {
  if (fit.missing.empty()) return absl::OkStatus();
  // Names of one letter are all within edit distance 1, so no suggestion is made.
  const bool is_letter = fit.missing.front().size() < 2;
  const std::string meant = is_letter ? "" : DidYouMean(fit.missing.front(), fit.added);
  return InvalidArgument(
      {.message = absl::StrCat(
           "it lacks ", fit.missing.size() == 1 ? "the column " : "the columns ",
           Listed(fit.missing), " of the training set",
           fit.added.empty() ? "" : absl::StrCat(", but also has ", Listed(fit.added)), meant),
       .where = path,
       .remedy = "Name the columns as in the training set; their order does not matter"});
}

Status CheckNoneTwice(const std::vector<std::string>& features,
                      const std::vector<std::string>& header, const std::string& path) {
  std::vector<std::string> in_header;
  for (const std::string& name : header) {
    if (Has(features, name)) in_header.push_back(name);
  }
  if (in_header == features) return absl::OkStatus();
  std::vector<std::string> sorted = in_header;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("several columns have the name \"", Excerpt(*twice),
                               "\", which is the name of a feature of the training set"),
       .where = path,
       .remedy = "Give the other columns another name, or remove them"});
}

}  // namespace dl::dataset
