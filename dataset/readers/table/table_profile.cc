#include "dataset/readers/table/table_profile.h"

#include <algorithm>
#include <cmath>

#include "base/checksum.h"
#include "dataset/readers/table/column_encoder.h"
#include "dataset/readers/table/date_time.h"

namespace dl::dataset {

namespace {

constexpr double kExactWholeNumbers = 9007199254740992;  // 2^53

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

uint64_t HashOf(double value) {
  value += 0.0;  // maps -0 to 0
  return Xxh3({reinterpret_cast<const char*>(&value), sizeof value});
}

}  // namespace

void DateOrders::Add(const std::string& text) {
  if (text.empty() || !IsDigit(text[0]) || ParseDateTime(text)) return;
  const bool as_day = ParseDateTime(text, job::DateOrder::kDayFirst).has_value();
  const bool as_month = ParseDateTime(text, job::DateOrder::kMonthFirst).has_value();
  if (!as_day && !as_month) return;
  int64_t& count = as_day && as_month ? either : as_day ? day_first : month_first;
  std::string& example = as_day && as_month ? either_example
                         : as_day           ? day_first_example
                                            : month_first_example;
  if (count++ == 0) example = text;
}

int64_t ColumnProfile::CountKnownMissing() const {
  int64_t count = 0;
  for (const auto& [text, occurrence] : known_missing_) count += occurrence.count;
  return count;
}

void ColumnProfile::AddNumber(double value, const std::string& text) {
  const int64_t before = of(FieldKind::kNumber).count;
  if (before == 0 || value > max_) {
    second_max_ = before == 0 ? value : max_;
    count_of_max_ = 0;
  } else if (value < max_ && (second_max_ == max_ || value > second_max_)) {
    second_max_ = value;
  }
  min_ = before == 0 ? value : std::min(min_, value);
  max_ = before == 0 ? value : std::max(max_, value);
  count_of_max_ += value == max_;
  sum_ += value;
  counts_rows_ = counts_rows_ && (before == 0 || value == previous_ + 1);
  previous_ = value;
  if (value != std::trunc(value)) ++fractions_;
  if (text.size() > 1 && text[0] == '0' && IsDigit(text[1]) && leading_zeros_++ == 0)
    first_with_zero_ = text;
  if (text.size() == 8 && IsDigit(text[0]) && ParseDateTime(text)) ++compact_dates_;
  AddPoint(value, text);
  constexpr size_t kLongNumber = 8;
  if (text[0] == '+' && text.size() > kLongNumber) ++long_with_plus_;
  // "1" and "1.0" are one value. Texts distinguish whole numbers that double does not.
  numbers_.Add(std::fabs(value) < kExactWholeNumbers ? HashOf(value) : Xxh3(text));
}

void ColumnProfile::AddPoint(double value, const std::string& text) {
  const size_t point = text.find('.');
  constexpr size_t kGroup = 3;  // digits between separators of thousands
  if (point == std::string::npos) {
    has_large_without_point_ = has_large_without_point_ || std::fabs(value) >= 1000;
    return;
  }
  ++with_point_;
  const size_t begin = std::min(text.find_first_of("0123456789"), point), digits = point - begin;
  const bool is_grouped = digits >= 1 && digits <= kGroup && text[begin] != '0' &&
                          text.size() - point - 1 == kGroup &&
                          std::all_of(text.begin() + point + 1, text.end(), IsDigit);
  if (is_grouped && grouped_++ == 0) first_grouped_ = text;
}

void ColumnProfile::AddHashes(const std::string& text, uint64_t value_hash) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;  // from the golden ratio
  content_hash_ = (content_hash_ + value_hash) * kOdd;
  if (!has_all_texts_) return;
  const auto found = texts_.find(text);
  const auto number = found == texts_.end() ? texts_.size() : found->second.number;
  pattern_hash_ = (pattern_hash_ + static_cast<uint64_t>(number) + 1) * kOdd;
}

void ColumnProfile::Add(const std::string& text, const RowPlace& place) {
  ++rows_;
  if (place.row > 1) last_value_ = text;
  if (missing_texts_->Has(text)) {
    AddHashes("", 0);
    if (missing_++ == 0) first_missing_ = place;
    if (!text.empty() &&
        (missing_spellings_.size() < kMostTexts || missing_spellings_.contains(text)))
      ++missing_spellings_[text];
    return;
  }
  const FieldLook look = LookAtField(text);
  if (look.kind == FieldKind::kDate || look.kind == FieldKind::kText) date_orders_.Add(text);
  if (look.kind == FieldKind::kNumber) {
    AddNumber(look.value, text);
    if (place.row > 1) last_number_ = look.value;
    AddHashes(text, HashOf(look.value));
  } else {
    const uint64_t hash = Xxh3(text);
    others_.Add(hash);
    AddHashes(text, hash);
  }
  if (look.kind == FieldKind::kCommaNumber) {
    ++fractions_;
    if (!look.may_have_thousands) ++sure_commas_;
  }
  if (look.kind != FieldKind::kNumber && (IsKnownMissing(text) || IsPlaceholder(text))) {
    Occurrence& occurrence = known_missing_[text];
    if (occurrence.count++ == 0) occurrence.first = place;
  } else {
    if (first_value_.empty()) first_value_ = text;
    OfKind& kind = kinds_[static_cast<size_t>(look.kind)];
    if (kind.count++ == 0) {
      kind.example = text;
      kind.first = place;
    }
  }
  if (known_ != nullptr && !known_->categories.empty() && !CategoryPlace(*known_, text)) {
    if (unknown_++ == 0) first_unknown_ = text;
  }
  if (!has_all_texts_) return;
  if (const auto found = texts_.find(text); found != texts_.end()) {
    ++found->second.count;
  } else if (texts_.size() < kMostTexts) {
    const auto number = static_cast<int64_t>(texts_.size());
    texts_.emplace(text, Occurrence{.count = 1, .first = place, .number = number});
  } else {
    has_all_texts_ = false;
  }
}

}  // namespace dl::dataset
