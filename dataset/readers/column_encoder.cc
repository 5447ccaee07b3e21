#include "dataset/readers/column_encoder.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "dataset/readers/csv_mistakes.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/numbers.h"

namespace dl::dataset {
namespace {

Status Missing(const char* key, const char* rules) {
  return InvalidArgument({.message = "a value is missing",
                          .remedy = absl::StrCat("Fill it in, remove the row, or set ", key,
                                                 " of the training set to ", rules)});
}

Status EncodeNumber(const FeatureColumn& column, const std::string& text, bool missing,
                    FeatureRounder& rounder, std::vector<float>& out) {
  if (missing && !column.fill_number) return Missing("missing_number", "mean or most_frequent");
  ReadNumber number;
  if (missing) {
    number = {.value = *column.fill_number, .nearest = static_cast<float>(*column.fill_number)};
  } else {
    DL_ASSIGN_OR_RETURN(number, NumberOfField(text));
  }
  out.push_back(rounder.Next(number.value, number.nearest));
  return absl::OkStatus();
}

}  // namespace

StatusOr<ReadNumber> NumberOfField(const std::string& text) {
  StatusOr<ReadNumber> number = NumberOf(text);
  if (number.ok() || ErrorRemedy(number.status()) != kEncodeCategories) return number;
  return InvalidArgument(
      {.message = std::string(number.status().message()),
       .remedy = "Encode categories as numbers, or name the column in categorical_columns of the "
                 "training set"});
}

Status EncodeField(const FeatureColumn& column, const std::string& text, bool missing,
                   FeatureRounder& rounder, std::vector<float>& out) {
  if (column.IsNumber()) return EncodeNumber(column, text, missing, rounder, out);
  rounder.Skip(static_cast<size_t>(column.Width()));
  if (missing && !column.fill_category)
    return Missing("missing_category", "most_frequent or own_class");
  const std::string& category = missing ? *column.fill_category : text;
  const std::vector<std::string>& known = column.categories;
  const auto place = std::lower_bound(known.begin(), known.end(), category);
  const bool is_known = place != known.end() && *place == category;
  if (!is_known && column.unknown_is_error) {
    return InvalidArgument(
        {.message = missing ? "a value is missing, and the training set has none that is"
                            : absl::StrCat("the training set has no category \"",
                                           absl::CHexEscape(category.substr(0, 40)), "\""),
         .remedy = absl::StrCat("Its categories are ", FirstOf(known),
                                "; to take others, set unknown_category to \"ignore\"")});
  }
  const auto number = static_cast<size_t>((is_known ? place : known.end()) - known.begin());
  if (column.encoding == ColumnEncoding::kIndex) {
    out.push_back(static_cast<float>(number));
    return absl::OkStatus();
  }
  const size_t begin = out.size();
  out.resize(begin + known.size(), 0.0f);
  if (is_known) out[begin + number] = 1.0f;
  return absl::OkStatus();
}

}  // namespace dl::dataset
