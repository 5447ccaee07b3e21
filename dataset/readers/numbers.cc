#include "dataset/readers/numbers.h"

#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "dataset/readers/csv_mistakes.h"

namespace dl::dataset {

StatusOr<float> FloatOf(const std::string& text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (text.size() > 1 && *begin == '+' && text[1] != '-') ++begin;
  float value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range) {
    return InvalidArgument(
        {.message = absl::StrCat(text.substr(0, 40), " is out of range of a float32"),
         .remedy = "Give a number from -3.4e38 to 3.4e38, and not closer to 0 than 1e-45"});
  }
  if (error != std::errc() || stop != end || !std::isfinite(value)) {
    NumberMistake mistake = ExplainNumber(text);
    return InvalidArgument(
        {.message = std::move(mistake.message), .remedy = std::move(mistake.remedy)});
  }
  return value;
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace dl::dataset
