// ExpectedSchema of table_draft.h.
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dataset/readers/numbers.h"
#include "dataset/readers/table/column_guess.h"
#include "dataset/readers/table/table_draft.h"

namespace dl::dataset {
namespace {

// Returns the categories of the column; none if there are more than its profile keeps.
std::vector<std::string> CategoriesOf(const ColumnProfile& column) {
  if (!column.HasAllTexts()) return {};
  std::set<std::string> texts, numbers;
  for (const auto& [text, occurrence] : column.texts()) {
    texts.insert(text);
    if (const auto number = CanonicalNumber(text)) numbers.insert(*number);
  }
  // If all categories are numbers, they are compared as numbers.
  const bool are_numbers =
      CountNumbers(column, false) == column.values() && column.CountKnownMissing() == 0;
  if (are_numbers) texts = std::move(numbers);
  return {texts.begin(), texts.end()};
}

}  // namespace

Schema ExpectedSchema(TableDraft& draft) {
  Schema schema;
  const job::CsvSource& source = draft.table.source;
  for (size_t i = 0; i < draft.columns().size(); ++i) {
    if (!draft.IsFeature(i)) continue;
    const ColumnType type = draft.guesses[i].type;
    FloatFeatures& features = schema.floats();
    features.columns.push_back({.name = draft.NameAt(i),
                                .encoding = type == ColumnType::kNumbers ? ColumnEncoding::kNumber
                                            : type == ColumnType::kDates
                                                ? ColumnEncoding::kDate
                                                : ColumnEncoding::kOneHot});
    if (type == ColumnType::kCategories)
      features.columns.back().categories = CategoriesOf(draft.columns()[i]);
    if (draft.HasHeader()) features.names.push_back(draft.NameAt(i));
  }
  schema.feature_shape = {static_cast<int64_t>(schema.columns().size())};
  if (draft.weights) schema.weights = {.column = draft.PlaceOf(*draft.weights)};
  if (!draft.label) return schema;
  schema.label_columns.all.push_back(draft.PlaceOf(*draft.label));
  const ColumnProfile& labels = draft.columns()[*draft.label];
  if (source.label_type == job::LabelType::kNumber) {
    schema.labels = TargetLabels{};
  } else if (labels.HasAllTexts()) {
    auto& names = std::get<ClassLabels>(schema.labels).names;
    for (const auto& [text, occurrence] : labels.texts()) names.push_back(text);
  }
  return schema;
}

}  // namespace dl::dataset
