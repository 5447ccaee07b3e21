#include "dataset/readers/table/table_profile.h"

#include <algorithm>
#include <cmath>

#include "base/checksum.h"
#include "dataset/readers/plain_number.h"
#include "dataset/readers/table/column_encoder.h"
#include "dataset/readers/table/date_time.h"
#include "dataset/readers/table/value_hash.h"

namespace dl::dataset {

namespace {

constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;  // from the golden ratio
constexpr size_t kLongestFacts = 64;           // bytes of a text whose facts are stored

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsWhole(double value) {
  if (std::fabs(value) >= kExactWholeNumbers) return true;
  return static_cast<double>(static_cast<int64_t>(value)) == value;
}

bool AreDigits(std::string_view text) { return std::all_of(text.begin(), text.end(), IsDigit); }

}  // namespace

DateOrders::Form DateOrders::FormOf(const std::string& text) {
  if (text.empty() || !IsDigit(text[0]) || HasIsoForm(text) || ParseDateTime(text))
    return Form::kNone;
  const bool as_day = ParseDateTime(text, job::DateOrder::kDayFirst).has_value();
  const bool as_month = ParseDateTime(text, job::DateOrder::kMonthFirst).has_value();
  if (as_day && as_month) return Form::kEither;
  return as_day ? Form::kDayFirst : as_month ? Form::kMonthFirst : Form::kNone;
}

void DateOrders::Add(Form form, std::string_view text) {
  if (form == Form::kNone) return;
  int64_t& count = form == Form::kEither     ? either
                   : form == Form::kDayFirst ? day_first
                                             : month_first;
  std::string& example = form == Form::kEither     ? either_example
                         : form == Form::kDayFirst ? day_first_example
                                                   : month_first_example;
  if (count++ == 0) example = text;
}

int64_t ColumnProfile::CountKnownMissing() const {
  int64_t count = 0;
  for (const auto& [text, occurrence] : known_missing_) count += occurrence.count;
  return count;
}

// Counts how often the largest number occurs, and finds the largest number below it.
void ColumnProfile::AddLargest(double value, bool is_first) {
  if (is_first || value > max_) {
    second_max_ = is_first ? value : max_;
    max_ = value;
    count_of_max_ = 0;
  } else if (value < max_ && (second_max_ == max_ || value > second_max_)) {
    second_max_ = value;
  }
  count_of_max_ += value == max_;
}

void ColumnProfile::AddNumber(const ShortDecimal& number, std::string_view text,
                              const Place& place) {
  const double value = number.value;
  const bool is_first = of(FieldKind::kNumber).count == 0;
  AddLargest(value, is_first);
  min_ = is_first ? value : std::min(min_, value);
  sum_ += value;
  // The first row of a file is added after its other rows.
  const bool is_first_row = place.row == 1 && !is_first;
  if (is_first) first_number_ = value;
  const double expected = is_first_row ? first_number_ - 1 : previous_ + 1;
  counts_rows_ = counts_rows_ && (is_first || value == expected);
  if (!is_first_row) previous_ = value;
  if (!IsWhole(value)) ++fractions_;
  if (text.size() > 1 && text[0] == '0' && IsDigit(text[1]) && leading_zeros_++ == 0)
    first_with_zero_ = text;
  if (number.has_point) {
    ++with_point_;
    AddGroups(text);
  } else {
    has_large_without_point_ = has_large_without_point_ || std::fabs(value) >= 1000;
    // Numbers with a point, an exponent or a sign are no dates.
    if (text.size() == 8 && AreDigits(text) && ParseDateTime(text)) ++compact_dates_;
  }
  constexpr size_t kLongNumber = 8;
  if (text[0] == '+' && text.size() > kLongNumber) ++long_with_plus_;
  const uint64_t hash = HashOfNumber(value);
  // "1" and "1.0" are one value. Texts distinguish whole numbers that double does not.
  numbers_.Add(std::fabs(value) < kExactWholeNumbers ? hash : Xxh3(text));
  if (place.row > 1) last_number_ = value;
  AddHash(hash);
}

// Counts a number with a point that may separate thousands.
void ColumnProfile::AddGroups(std::string_view text) {
  constexpr size_t kGroup = 3;  // digits between separators of thousands
  if (text.size() <= kGroup || text[text.size() - kGroup - 1] != '.') return;
  const size_t point = text.size() - kGroup - 1;
  const size_t begin = std::min(text.find_first_of("0123456789"), point), digits = point - begin;
  const bool is_grouped =
      digits >= 1 && digits <= kGroup && text[begin] != '0' && AreDigits(text.substr(point + 1));
  if (is_grouped && grouped_++ == 0) first_grouped_ = text;
}

void ColumnProfile::AddHash(uint64_t value_hash) {
  content_hash_ = (content_hash_ + value_hash) * kOdd;
}

void ColumnProfile::AddPattern(int64_t number) {
  if (has_all_texts_) pattern_hash_ = (pattern_hash_ + static_cast<uint64_t>(number) + 1) * kOdd;
}

void ColumnProfile::CountMissing(std::string_view text, const Place& place) {
  AddHash(0);
  AddPattern(std::ssize(texts_));
  if (missing_++ == 0) first_missing_ = place.ToRowPlace();
  if (text.empty()) return;
  const std::string spelling(text);
  if (missing_spellings_.size() < kMostTexts || missing_spellings_.contains(spelling))
    ++missing_spellings_[spelling];
}

ColumnProfile::TextFacts& ColumnProfile::FactsOf(std::string_view text) {
  if (facts_.empty()) facts_.resize(most_facts_);
  TextFacts& facts =
      text.size() <= kLongestFacts ? facts_[SlotOf(text) & (facts_.size() - 1)] : facts_of_long_;
  if (facts.is_set && facts.text == text) return facts;
  facts.is_set = true;
  facts.is_counted = false;
  facts.text = text;
  facts.hash = Xxh3(text);
  facts.look = LookAtField(facts.text);
  const FieldKind kind = facts.look.kind;
  facts.may_mean_missing =
      kind != FieldKind::kNumber && (IsKnownMissing(text) || IsPlaceholder(text));
  facts.date_form = kind == FieldKind::kDate || kind == FieldKind::kText
                        ? DateOrders::FormOf(facts.text)
                        : DateOrders::Form::kNone;
  facts.is_unknown =
      known_ != nullptr && !known_->categories.empty() && !CategoryPlace(*known_, facts.text);
  const auto found = has_all_texts_ ? texts_.find(facts.text) : texts_.end();
  facts.occurrence = found == texts_.end() ? nullptr : &found->second;
  return facts;
}

void ColumnProfile::AddKind(FieldKind kind, std::string_view text, const Place& place) {
  if (first_value_.empty()) first_value_ = text;
  OfKind& of_kind = kinds_[static_cast<size_t>(kind)];
  if (of_kind.count++ > 0) return;
  of_kind.example = text;
  of_kind.first = place.ToRowPlace();
}

void ColumnProfile::AddFacts(TextFacts& facts, const Place& place) {
  const FieldKind kind = facts.look.kind;
  date_orders_.Add(facts.date_form, facts.text);
  if (kind == FieldKind::kNumber) {
    AddNumber({.value = facts.look.value, .has_point = facts.text.find('.') != std::string::npos},
              facts.text, place);
  } else {
    if (!facts.is_counted) others_.Add(facts.hash);
    facts.is_counted = true;
    AddHash(facts.hash);
  }
  AddPattern(facts.occurrence != nullptr ? facts.occurrence->number : std::ssize(texts_));
  if (kind == FieldKind::kCommaNumber) {
    ++fractions_;
    if (!facts.look.may_have_thousands) ++sure_commas_;
  }
  if (facts.may_mean_missing) {
    Occurrence& occurrence = known_missing_[facts.text];
    if (occurrence.count++ == 0) occurrence.first = place.ToRowPlace();
  } else {
    AddKind(kind, facts.text, place);
  }
  if (facts.is_unknown && unknown_++ == 0) first_unknown_ = facts.text;
  if (!has_all_texts_) return;
  if (facts.occurrence != nullptr) {
    ++facts.occurrence->count;
  } else if (texts_.size() < kMostTexts) {
    const auto number = std::ssize(texts_);
    facts.occurrence =
        &texts_
             .emplace(facts.text,
                      Occurrence{.count = 1, .first = place.ToRowPlace(), .number = number})
             .first->second;
  } else {
    has_all_texts_ = false;
  }
}

void ColumnProfile::Count(std::string_view text, const Place& place) {
  ++rows_;
  if (missing_texts_->Has(text)) return CountMissing(text, place);
  if (CountsNumbersAlone()) {
    if (const auto value = FieldNumber(text)) {
      AddNumber({.value = *value, .has_point = text.find('.') != text.npos}, text, place);
      return AddKind(FieldKind::kNumber, text, place);
    }
  }
  AddFacts(FactsOf(text), place);
}

void ColumnProfile::Add(std::string_view text, const RowPlace& place) {
  Count(text, {.path = place.path, .row = place.row, .line = place.line});
  if (place.row > 1) last_value_ = text;
}

void ColumnProfile::AddRows(const Rows& rows, size_t column) {
  if (rows.rows.empty()) return;
  std::span<const CsvRowBatch::Row> rest = rows.rows;
  for (; !rest.empty() && !CountsNumbersAlone(); rest = rest.subspan(1)) {
    const CsvRowBatch::Row& row = rest.front();
    Count(rows.batch.fields[row.begin + column],
          {.path = rows.path, .row = row.row, .line = row.line});
  }
  while (!rest.empty()) {
    const size_t count = std::min(rest.size(), FieldWords::kMost);
    AddBlock({.batch = rows.batch, .rows = rest.first(count), .path = rows.path}, column);
    rest = rest.subspan(count);
  }
  last_value_ = rows.batch.fields[rows.rows.back().begin + column];
}

// Its constructor leaves the entries of arrays unset, because most are set anyway.
struct ColumnProfile::Block {
  explicit Block(const Rows& of)
      : rows(of), words(of.batch.text != nullptr ? *of.batch.text : std::string_view()) {}

  const Rows& rows;
  FieldWords words;
  std::string_view texts[FieldWords::kMost];
  ShortDecimals numbers;
  DecimalFacts facts;

  Place PlaceOf(size_t i) const {
    const CsvRowBatch::Row& row = rows.rows[i];
    return {.path = rows.path, .row = row.row, .line = row.line};
  }
};

// Adds runs of short decimals together, and other fields separately.
void ColumnProfile::AddBlock(const Rows& rows, size_t column) {
  const CsvRowBatch& batch = rows.batch;
  Block block(rows);
  const size_t count = rows.rows.size();
  for (size_t i = 0; i < count; ++i) {
    block.texts[i] = batch.fields[rows.rows[i].begin + column];
    block.words.Set(i, block.texts[i]);
  }
  ParseShortDecimals(block.words, count, block.numbers);
  FindFacts(block.words, block.numbers, count, block.facts);
  const bool may_be_missing = missing_texts_->MayBeNumbers();
  for (size_t begin = 0; begin < count; ++begin) {
    size_t end = begin;
    while (end < count && block.numbers.are_parsed[end] != 0 &&
           !(may_be_missing && missing_texts_->Has(block.texts[end])))
      ++end;
    if (end > begin) AddNumbers(block, begin, end);
    if (end < count) Count(block.texts[end], block.PlaceOf(end));
    begin = end;
  }
}

// Adds the numbers with the indices from `begin` to `end` like AddNumber.
void ColumnProfile::AddNumbers(const Block& block, size_t begin, size_t end) {
  const double* const values = block.numbers.values;
  const uint64_t* const hashes = block.facts.hashes;
  const bool is_first = of(FieldKind::kNumber).count == 0;
  double low = is_first ? values[begin] : min_, high = values[begin], sum = sum_;
  uint64_t hash = content_hash_, counts = 0;
  for (size_t i = begin; i < end; ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
    sum += values[i];
    hash = (hash + hashes[i]) * kOdd;
    counts += block.facts.counts[i];
  }
  min_ = low;
  sum_ = sum;
  content_hash_ = hash;
  // Numbers below the second largest change nothing.
  if (is_first || second_max_ == max_ || high > second_max_) {
    for (size_t i = begin; i < end; ++i) AddLargest(values[i], is_first && i == begin);
  }
  if (is_first) first_number_ = values[begin];
  for (size_t i = begin; counts_rows_ && i < end; ++i) {
    const double before = i == begin ? previous_ : values[i - 1];
    counts_rows_ = (is_first && i == begin) || values[i] == before + 1;
  }
  previous_ = last_number_ = values[end - 1];
  AddTexts(block, begin, end, counts);
  if (fit_decimals_ && !decimals_.Add(block.numbers, begin, end)) {
    CountDecimals();
    fit_decimals_ = false;
  }
  for (size_t i = begin; !fit_decimals_ && i < end; ++i) numbers_.Add(hashes[i]);
  rows_ += static_cast<int64_t>(end - begin);
  AddKind(FieldKind::kNumber, block.texts[begin], block.PlaceOf(begin));
  kinds_[static_cast<size_t>(FieldKind::kNumber)].count += static_cast<int64_t>(end - begin) - 1;
}

// Adds what the texts of numbers show. `counts`: the sum of DecimalFacts::counts.
void ColumnProfile::AddTexts(const Block& block, size_t begin, size_t end, uint64_t counts) {
  const auto count_of = [&](DecimalFacts::Count fact) {
    return DecimalFacts::CountIn(counts, fact);
  };
  fractions_ += count_of(DecimalFacts::kFraction);
  long_with_plus_ += count_of(DecimalFacts::kLongPlus);
  has_large_without_point_ |= count_of(DecimalFacts::kLarge) > 0;
  const bool may_be_grouped = grouped_ == with_point_ && count_of(DecimalFacts::kThreePlaces) > 0;
  with_point_ += count_of(DecimalFacts::kPoint);
  const bool has_zero = leading_zeros_ == 0 && count_of(DecimalFacts::kLeadingZero) > 0;
  leading_zeros_ += count_of(DecimalFacts::kLeadingZero);
  const bool has_eight = count_of(DecimalFacts::kEightDigits) > 0;
  if (!may_be_grouped && !has_zero && !has_eight) return;
  const auto holds = [&](size_t i, DecimalFacts::Count fact) {
    return DecimalFacts::CountIn(block.facts.counts[i], fact) > 0;
  };
  for (size_t i = begin; i < end; ++i) {
    const std::string_view text = block.texts[i];
    // If one number with a point is not grouped, grouped_ is not needed (MayHavePointsOfThousands).
    if (may_be_grouped && holds(i, DecimalFacts::kThreePlaces)) AddGroups(text);
    if (has_zero && first_with_zero_.empty() && holds(i, DecimalFacts::kLeadingZero))
      first_with_zero_ = text;
    if (holds(i, DecimalFacts::kEightDigits) && ParseDateTime(text)) ++compact_dates_;
  }
}

void ColumnProfile::CountDecimals() {
  std::vector<uint64_t> hashes;
  for (const double decimal : decimals_.Take()) hashes.push_back(HashOfNumber(decimal));
  numbers_.AddDistinct(hashes);
}

}  // namespace dl::dataset
