#include "dataset/readers/numbers.h"

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "dataset/readers/plain_number.h"
#include "dataset/readers/table/csv_mistakes.h"

namespace dl::dataset {

namespace {

// Returns whether a number, which std::from_chars has read but float32 cannot hold, is below 1 and
// therefore too close to 0. It may be beyond the range of all types.
bool IsTiny(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  int64_t exponent = 0;
  if (const size_t e = text.find_first_of("eE"); e != text.npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (read.ec == std::errc::result_out_of_range) return digits.starts_with('-');
    text = text.substr(0, e);
  }
  const size_t point = std::min(text.find('.'), text.size());
  const size_t first = text.find_first_of("123456789");
  if (first == text.npos) return true;
  const auto place = static_cast<int64_t>(point) - static_cast<int64_t>(first);
  return (place > 0 ? place - 1 : place) + exponent < 0;
}

}  // namespace

StatusOr<float> FloatOf(std::string_view text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (text.size() > 1 && *begin == '+' && text[1] != '-') ++begin;
  float value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range && IsTiny(std::string_view(begin, end))) return 0.0f;
  if (error == std::errc::result_out_of_range) {
    return InvalidArgument({.message = absl::StrCat(std::string(text.substr(0, 40)),
                                                    " is outside the range of float32"),
                            .remedy = "Give a number from -3.4e38 to 3.4e38"});
  }
  if (error != std::errc() || stop != end || !std::isfinite(value)) {
    NumberMistake mistake = ExplainNumber(std::string(text));
    return InvalidArgument(
        {.message = std::move(mistake.message), .remedy = std::move(mistake.remedy)});
  }
  return value;
}

namespace {

// Returns the double nearest to the text, or nullopt if the text is not a number.
std::optional<double> DoubleOf(std::string_view text) {
  if (const auto plain = PlainNumber(text)) return plain;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && stop == text.data() + text.size();
  return is_number ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<ReadNumber> ParseLongNumberOnce(std::string_view text) {
  const std::optional<double> value = DoubleOf(text);
  if (!value) return std::nullopt;
  const ReadNumber number{.value = *value, .nearest = static_cast<float>(*value)};
  const bool is_plain = std::isfinite(number.nearest) && !IsHalfwayBetweenFloats(number.value) &&
                        (number.value == 0 || std::fabs(number.value) >= FLT_MIN);
  return is_plain ? std::optional(number) : std::nullopt;
}

StatusOr<ReadNumber> NumberOf(std::string_view text) {
  if (const auto number = ParseNumberOnce(text)) return *number;
  ReadNumber number{.value = DoubleOf(text).value_or(0)};
  DL_ASSIGN_OR_RETURN(number.nearest, FloatOf(text));
  return number;
}

bool IsFiniteNumber(std::string_view text) {
  if (PlainNumber(text)) return true;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size() && std::isfinite(value);
}

namespace {

// Returns the digits of a whole number without zeros in front, such as "-12" for "-012.0"; nullopt
// for other texts.
std::optional<std::string> WholeDigits(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const size_t point = std::min(text.find('.'), text.size());
  if (text.substr(point).find_first_not_of(".0") != text.npos) return std::nullopt;
  text = text.substr(0, point);
  if (text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  return absl::StrCat(is_negative ? "-" : "", absl::string_view(text.data(), text.size()));
}

}  // namespace

std::optional<std::string> CanonicalNumber(std::string_view text) {
  if (const auto whole = WholeNumber(text)) return std::to_string(*whole);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  // Different whole numbers may be the same double.
  if (std::fabs(value) >= kExactWholeNumbers) {
    if (auto digits = WholeDigits(text)) return digits;
  }
  return NumberText(value);
}

std::string NumberText(double value) {
  if (value == std::trunc(value) && std::fabs(value) < kExactWholeNumbers)
    return std::to_string(static_cast<int64_t>(value));
  char shortest[32];
  const auto end = std::to_chars(shortest, shortest + sizeof shortest, value);
  return std::string(shortest, end.ptr);
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace dl::dataset
