#include "dataset/readers/table/column_fit.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/table/column_encoder.h"
#include "dataset/readers/table/value_hash.h"

namespace dl::dataset {
namespace {

constexpr size_t kRecent = 256;
constexpr int64_t kEntryBytes = 64;  // approximate memory of a category besides its text

// Returns the key with the highest count.
template <typename Counts>
auto MostFrequent(const Counts& counts) {
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) {
                            return a.second < b.second;  // the first key among equal counts
                          })
      ->first;
}

// Merges categories of equal value ("1", "1.0", "01") under the shortest text, if all are numbers.
std::map<std::string, int64_t> MergedNumbers(const std::map<std::string, int64_t>& categories) {
  std::map<std::string, int64_t> merged;
  for (const auto& [category, count] : categories) {
    const auto number = CanonicalNumber(category);
    if (!number) return categories;
    merged[*number] += count;
  }
  return merged;
}

constexpr int64_t kManyNumbers = 20;
constexpr double kMinutesOfDay = 1440;

}  // namespace

// Returns whether most values are numbers, although the first is not, and these numbers are
// unlikely to be categories: there are many distinct ones, or most occur once.
bool ColumnFit::IsMostlyNumbers() const {
  if (2 * numbers_seen_ <= values_) return false;
  int64_t distinct = 0;
  for (const auto& [category, count] : categories_) distinct += IsFiniteNumber(category) ? 1 : 0;
  return distinct > kManyNumbers || 2 * distinct > numbers_seen_;
}

Status ColumnFit::Add(std::string_view text, bool missing) {
  if (missing) {
    any_missing_ = true;
    return absl::OkStatus();
  }
  if (options_.kind == Kind::kAutomatic) {
    options_.kind = FloatOf(text).ok() ? Kind::kNumber : Kind::kCategory;
    found_word_ = options_.kind == Kind::kCategory ? std::string(text) : "";
  }
  ++values_;
  if (!found_word_.empty() && IsFiniteNumber(text)) ++numbers_seen_;
  if (options_.kind == Kind::kDate || options_.kind == Kind::kDateParts) return AddDate(text);
  return options_.kind == Kind::kCategory ? AddCategory(text) : AddNumber(text);
}

Status ColumnFit::AddCategory(std::string_view text) {
  if (recent_.empty()) recent_.resize(kRecent);
  Categories::value_type*& recent = recent_[SlotOf(text) & (kRecent - 1)];
  if (recent != nullptr && recent->first == text) {
    ++recent->second;
    return absl::OkStatus();
  }
  const auto [found, is_new] = categories_.try_emplace(std::string(text), 0);
  recent = &*found;
  ++found->second;
  if (!is_new) return absl::OkStatus();
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
                               " categories, which is the limit"),
       .remedy =
           "Leave it out with exclude_columns: a column that differs in each row teaches nothing"});
}

Status ColumnFit::AddNumber(std::string_view text) {
  if (options_.missing_number == job::MissingNumber::kError) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const ReadNumber number, NumberOfField(text));
  return CountNumber(number.value);
}

// Counts a number, or the days of a date, for the replacement of missing values.
Status ColumnFit::CountNumber(double value) {
  ++count_;
  sum_ += value;
  if (options_.missing_number != job::MissingNumber::kMostFrequent) return absl::OkStatus();
  if (options_.kind == Kind::kDateParts) return absl::OkStatus();    // have no replacement
  const auto [found, added] = numbers_.try_emplace(value + 0.0, 0);  // maps -0 to 0
  ++found->second;
  if (!added || ++memory_->numbers <= limits::kMaxCountedNumbers) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("the column has more than ", limits::kMaxCountedNumbers,
                               " different numbers, too many to find the most frequent"),
       .remedy = "Set missing_number to \"mean\""});
}

Status ColumnFit::AddDate(std::string_view text) {
  DL_ASSIGN_OR_RETURN(const DateTime time, DateOfField(text, options_.date_order));
  const std::optional<int64_t> offset = OffsetOfZone(time.zone);
  if (count_ == 0) {
    zone_ = time.zone;
    first_date_ = text;
  } else if (IsTimeAlone(text) != IsTimeAlone(first_date_)) {
    const bool is_time = IsTimeAlone(text);
    return InvalidArgument(
        {.message = absl::StrCat(
             "\"", Excerpt(text), is_time ? "\" is a time without a date, \"" : "\" has a date, \"",
             Excerpt(first_date_), is_time ? "\" has a date" : "\" is a time without one"),
         .remedy = "Write all values of the column in one way, or leave the column out"});
  } else if (time.zone != zone_) {
    if (!offset || !OffsetOfZone(zone_))
      return ZonesDiffer(text, time.zone, absl::StrCat("\"", Excerpt(first_date_), "\" has"),
                         zone_);
    zone_ = kUtc;
  }
  return CountNumber(DaysSince1970(time) - static_cast<double>(offset.value_or(0)) / kMinutesOfDay);
}

StatusOr<FeatureColumn> ColumnFit::FinishCategories() const {
  if (!found_word_.empty() && IsMostlyNumbers()) {
    return InvalidArgument(
        {.message = absl::StrCat(numbers_seen_, " of its ", values_, " values are numbers, but \"",
                                 Excerpt(found_word_), "\" is not"),
         .remedy = "If it means that the value is missing, add it to missing_values; if the "
                   "numbers are categories, name the column in categorical_columns"});
  }
  FeatureColumn column{.name = options_.name,
                       .encoding = options_.encoding == job::CategoryEncoding::kOneHot
                                       ? ColumnEncoding::kOneHot
                                       : ColumnEncoding::kIndex,
                       .unknown_is_error = options_.unknown == job::UnknownCategory::kError};
  const std::map<std::string, int64_t> categories =
      MergedNumbers({categories_.begin(), categories_.end()});
  const bool own_class = options_.missing_category == job::MissingCategory::kOwnClass;
  if (own_class && any_missing_) column.categories.emplace_back();
  for (const auto& [category, count] : categories) column.categories.push_back(category);
  if (own_class) column.fill_category = "";
  if (options_.missing_category == job::MissingCategory::kMostFrequent && !categories.empty())
    column.fill_category = MostFrequent(categories);
  if (!column.categories.empty()) return column;
  return InvalidArgument({.message = "every value of the column is missing",
                          .remedy = "Leave it out with exclude_columns"});
}

StatusOr<FeatureColumn> ColumnFit::Finish() const {
  if (options_.kind == Kind::kCategory) return FinishCategories();
  FeatureColumn column{.name = options_.name};
  if (options_.kind == Kind::kDate || options_.kind == Kind::kDateParts)
    column.date_order = options_.date_order;
  column.zone = zone_;
  if (options_.kind == Kind::kDateParts) {
    column.encoding = ColumnEncoding::kDateParts;
    return column;
  }
  const bool is_date = options_.kind == Kind::kDate;
  if (is_date) column.encoding = ColumnEncoding::kDate;
  if (options_.missing_number == job::MissingNumber::kError) return column;
  if (count_ == 0) {
    return InvalidArgument({.message = "every value of the column is missing",
                            .remedy = "Leave it out with exclude_columns"});
  }
  column.fill_number = options_.missing_number == job::MissingNumber::kMean
                           ? sum_ / static_cast<double>(count_)
                           : MostFrequent(numbers_);
  if (const auto offset = OffsetOfZone(zone_); is_date && offset)
    *column.fill_number += static_cast<double>(*offset) / kMinutesOfDay;
  return column;
}

}  // namespace dl::dataset
