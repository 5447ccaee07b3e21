#include "dataset/readers/column_fit.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "dataset/readers/column_encoder.h"
#include "dataset/readers/numbers.h"

namespace dl::dataset {
namespace {

constexpr int64_t kEntryBytes = 64;  // about what a category takes beside its text

// The key that was counted most often.
template <typename Counts>
auto MostFrequent(const Counts& counts) {
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) {
                            return a.second < b.second;  // the first of those that are as frequent
                          })
      ->first;
}

}  // namespace

Status ColumnFit::Add(const std::string& text, bool missing) {
  if (missing) {
    any_missing_ = true;
    return absl::OkStatus();
  }
  if (options_.kind == Kind::kAsItsFirstValue)
    options_.kind = FloatOf(text).ok() ? Kind::kNumber : Kind::kCategory;
  return options_.kind == Kind::kCategory ? AddCategory(text) : AddNumber(text);
}

Status ColumnFit::AddCategory(const std::string& text) {
  const auto [found, added] = categories_.try_emplace(text, 0);
  ++found->second;
  if (!added) return absl::OkStatus();
  if (!IsUtf8(text)) {
    return InvalidArgument(
        {.message = "the category is not UTF-8", .remedy = "Save the file as UTF-8"});
  }
  memory_->vocabulary_bytes += static_cast<int64_t>(text.size()) + kEntryBytes;
  if (static_cast<int64_t>(categories_.size()) <= limits::kMaxCategories &&
      memory_->vocabulary_bytes <= limits::kMaxVocabularyBytes) {
    return absl::OkStatus();
  }
  return InvalidArgument(
      {.message = absl::StrCat("the column has more than ", categories_.size() - 1,
                               " categories, and that is more than a vocabulary may hold"),
       .remedy = "Leave it out with exclude_columns: what differs in each row teaches nothing"});
}

Status ColumnFit::AddNumber(const std::string& text) {
  if (options_.missing_number == job::MissingNumber::kError) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const ReadNumber number, NumberOfField(text));
  ++count_;
  sum_ += number.value;
  if (options_.missing_number != job::MissingNumber::kMostFrequent) return absl::OkStatus();
  const auto [found, added] = numbers_.try_emplace(number.value + 0.0, 0);  // -0 is 0
  ++found->second;
  if (!added || ++memory_->numbers <= limits::kMaxCountedNumbers) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("there are more than ", limits::kMaxCountedNumbers,
                               " numbers of which to find the most frequent"),
       .remedy = "Set missing_number to \"mean\""});
}

StatusOr<FeatureColumn> ColumnFit::FinishCategories() const {
  FeatureColumn column{.name = options_.name,
                       .encoding = options_.encoding == job::CategoryEncoding::kOneHot
                                       ? ColumnEncoding::kOneHot
                                       : ColumnEncoding::kIndex,
                       .unknown_is_error = options_.unknown == job::UnknownCategory::kError};
  const bool own_class = options_.missing_category == job::MissingCategory::kOwnClass;
  if (own_class && any_missing_) column.categories.emplace_back();
  for (const auto& [category, count] : categories_) column.categories.push_back(category);
  if (own_class) column.fill_category = "";
  if (options_.missing_category == job::MissingCategory::kMostFrequent && !categories_.empty())
    column.fill_category = MostFrequent(categories_);
  if (!column.categories.empty()) return column;
  return InvalidArgument({.message = "every value of the column is missing",
                          .remedy = "Leave it out with exclude_columns"});
}

StatusOr<FeatureColumn> ColumnFit::Finish() const {
  if (options_.kind == Kind::kCategory) return FinishCategories();
  FeatureColumn column{.name = options_.name};
  if (options_.missing_number == job::MissingNumber::kError) return column;
  if (count_ == 0) {
    return InvalidArgument({.message = "every value of the column is missing",
                            .remedy = "Leave it out with exclude_columns"});
  }
  if (options_.missing_number == job::MissingNumber::kMean) {
    column.fill_number = sum_ / static_cast<double>(count_);
  } else {
    column.fill_number = MostFrequent(numbers_);
  }
  return column;
}

}  // namespace dl::dataset
