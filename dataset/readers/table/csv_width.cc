#include "dataset/readers/table/csv_width.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::dataset {

Status CheckWidth(const CsvRows& rows, const std::vector<FeatureColumn>& columns) {
  const int64_t width = WidthOf(columns);
  if (width <= limits::kMaxCsvColumns) return absl::OkStatus();
  const auto widest =
      std::max_element(columns.begin(), columns.end(),
                       [](const auto& a, const auto& b) { return a.Width() < b.Width(); });
  return rows.BadColumn(
      rows.columns().features[widest - columns.begin()],
      InvalidArgument(
          {.message = absl::StrCat("it has ", widest->Width(),
                                   " categories; with one feature for each category the table has ",
                                   width, " features, but the limit is ", limits::kMaxCsvColumns),
           .remedy = "Set category_encoding to \"index\", or leave "
                     "the column out with exclude_columns"}));
}

}  // namespace dl::dataset
