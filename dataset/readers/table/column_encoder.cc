#include "dataset/readers/table/column_encoder.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/table/csv_mistakes.h"
#include "dataset/readers/table/missing_texts.h"
#include "dataset/readers/table/value_hash.h"

namespace dl::dataset {
namespace {

Status Missing(const char* key, std::string_view rules) {
  const std::string example(rules.substr(0, rules.find(' ')));
  return InvalidArgument(
      {.message = "a value is missing",
       .remedy = absl::StrCat("Fill it in or remove the row. A model that is to replace missing "
                              "values is trained with ",
                              key, " of the training set, ", std::string(rules),
                              ": --set data.train.", key, "=", example, " of run and submit")});
}

// The rounder watches the value that replaces the missing one in the training.
void AppendMissing(const FeatureColumn& column, FeatureRounder& rounder, std::vector<float>& out) {
  rounder.Next(*column.fill_number, static_cast<float>(*column.fill_number));
  out.push_back(std::numeric_limits<float>::quiet_NaN());
}

Status EncodeNumber(const FeatureColumn& column, std::string_view text, bool missing,
                    FeatureRounder& rounder, std::vector<float>& out) {
  if (missing && !column.fill_number) return Missing("missing_number", "mean or most_frequent");
  if (missing) {
    AppendMissing(column, rounder, out);
    return absl::OkStatus();
  }
  DL_ASSIGN_OR_RETURN(const ReadNumber number, NumberOfField(text));
  out.push_back(rounder.Next(number.value, number.nearest));
  return absl::OkStatus();
}

}  // namespace

StatusOr<ReadNumber> NumberOfField(std::string_view text) {
  StatusOr<ReadNumber> number = NumberOf(text);
  if (number.ok() || ErrorRemedy(number.status()) != kEncodeCategories) return number;
  const bool may_be_missing = IsKnownMissing(text) || IsPlaceholder(text);
  return InvalidArgument(
      {.message = std::string(number.status().message()),
       .remedy = may_be_missing
                     ? "If it means that the value is missing, add it to "
                       "missing_values, and set missing_number of the training set"
                     : "Encode categories as numbers, or name the column in categorical_columns of "
                       "the training set"});
}

std::optional<size_t> CategoryPlace(const FeatureColumn& column, std::string_view text) {
  const std::vector<std::string>& known = column.categories;
  const auto find = [&](std::string_view category) -> std::optional<size_t> {
    const auto place = std::lower_bound(known.begin(), known.end(), category);
    if (place == known.end() || *place != category) return std::nullopt;
    return static_cast<size_t>(place - known.begin());
  };
  if (const auto place = find(text)) return place;
  const auto number = CanonicalNumber(text);
  return number ? find(*number) : std::nullopt;
}

std::optional<size_t> CategoryPlaces::Find(const FeatureColumn& column, std::string_view text) {
  constexpr size_t kMost = 256, kLongest = 64;
  if (text.size() > kLongest) return CategoryPlace(column, text);
  if (known_.empty()) known_.resize(std::min(kMost, 4 * std::bit_ceil(column.categories.size())));
  Known& known = known_[SlotOf(text) & (known_.size() - 1)];
  if (known.is_set && known.text == text) return known.place;
  known = {.text = std::string(text), .place = CategoryPlace(column, text), .is_set = true};
  return known.place;
}

StatusOr<DateTime> DateOfField(std::string_view text, job::DateOrder order) {
  if (const auto time = ParseDateTime(text, order)) return *time;
  const auto reads = [&](job::DateOrder other) { return ParseDateTime(text, other).has_value(); };
  const bool lacks_order = order == job::DateOrder::kSure &&
                           (reads(job::DateOrder::kDayFirst) || reads(job::DateOrder::kMonthFirst));
  const std::string shown = absl::StrCat("\"", Excerpt(text), "\"");
  if (lacks_order) {
    return InvalidArgument(
        {.message = absl::StrCat("the order of day and month in ", shown, " is not stated"),
         .remedy = "Set date_order of the training set to \"day_first\" or \"month_first\" "
                   "(--date-order)"});
  }
  return InvalidArgument(
      {.message = absl::StrCat(shown, " is not in a known format of dates or times",
                               order == job::DateOrder::kDayFirst     ? ", with the day first"
                               : order == job::DateOrder::kMonthFirst ? ", with the month first"
                                                                      : ""),
       .remedy = "Write it as 2020-01-31 12:30:05, or leave the column out"});
}

Status ZonesDiffer(std::string_view text, const std::string& zone, const std::string& others,
                   const std::string& other_zone) {
  const auto named = [](const std::string& name) {
    return name.empty() ? std::string("no zone") : absl::StrCat("the zone ", Excerpt(name));
  };
  return InvalidArgument(
      {.message = absl::StrCat("\"", Excerpt(text), "\" has ", named(zone), ", but ", others, " ",
                               named(other_zone)),
       .remedy = "Write all times of the column with their offset from UTC, as "
                 "2020-01-31T12:30+02:00, or all without a zone: the offset of a zone's name is "
                 "not known"});
}

namespace {

Status EncodeDate(const FeatureColumn& column, std::string_view text, bool missing,
                  FeatureRounder& rounder, std::vector<float>& out) {
  const auto append = [&](double value) {
    out.push_back(rounder.Next(value, static_cast<float>(value)));
  };
  if (missing && column.fill_number) {
    AppendMissing(column, rounder, out);
    return absl::OkStatus();
  }
  if (missing && column.encoding == ColumnEncoding::kDate)
    return Missing("missing_number", "mean or most_frequent");
  if (missing) {
    return InvalidArgument({.message = "a date is missing",
                            .remedy = "Fill it in, remove the row, or take days of the column "
                                      "with date_columns"});
  }
  DL_ASSIGN_OR_RETURN(DateTime time, DateOfField(text, column.date_order));
  if (time.zone != column.zone) {
    if (!OffsetOfZone(time.zone) || !OffsetOfZone(column.zone))
      return ZonesDiffer(text, time.zone, "the times of the training set have", column.zone);
    time = InZone(time, column.zone);
  }
  if (column.encoding == ColumnEncoding::kDate) {
    append(DaysSince1970(time));
    return absl::OkStatus();
  }
  for (const int64_t part : {time.year, time.month, time.day, WeekdayOf(time), time.hour})
    append(static_cast<double>(part));
  append(static_cast<double>(time.minute) + time.second / 60);
  return absl::OkStatus();
}

}  // namespace

Status EncodeField(const FeatureColumn& column, std::string_view text, bool missing,
                   FeatureRounder& rounder, std::vector<float>& out) {
  CategoryPlaces none;
  return EncodeField(column, text, missing, none, rounder, out);
}

Status EncodeField(const FeatureColumn& column, std::string_view text, bool missing,
                   CategoryPlaces& places, FeatureRounder& rounder, std::vector<float>& out) {
  if (column.IsNumber()) return EncodeNumber(column, text, missing, rounder, out);
  if (!column.HasCategories()) return EncodeDate(column, text, missing, rounder, out);
  rounder.Skip(static_cast<size_t>(column.Width()));
  if (missing && !column.fill_category)
    return Missing("missing_category", "most_frequent or own_class");
  const std::string_view category = missing ? *column.fill_category : text;
  const std::vector<std::string>& known = column.categories;
  const std::optional<size_t> place = places.Find(column, category);
  const bool is_known = place.has_value();
  if (!is_known && !IsUtf8(category)) {
    return InvalidArgument(
        {.message = "the category is not UTF-8", .remedy = "Save the file as UTF-8"});
  }
  if (!is_known && column.unknown_is_error) {
    return InvalidArgument(
        {.message =
             missing ? "a value is missing, but no value is missing in the training set"
                     : absl::StrCat("the training set has no category \"", Excerpt(category), "\""),
         .remedy =
             absl::StrCat("Its categories are ", FirstOf(known),
                          "; to accept other categories, set unknown_category to \"ignore\"")});
  }
  const size_t number = place.value_or(known.size());
  if (column.encoding == ColumnEncoding::kIndex) {
    out.push_back(static_cast<float>(number));
    return absl::OkStatus();
  }
  const size_t begin = out.size();
  out.resize(begin + known.size());
  if (is_known) out[begin + number] = 1.0f;
  return absl::OkStatus();
}

}  // namespace dl::dataset
