#include "inference/number_json.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/json.h"

namespace dl::inference {

Json NumberJson(float value, double origin) {
  if (!std::isfinite(value)) return nullptr;
  if (origin != 0) return static_cast<double>(value) + origin;
  std::array<char, 32> text;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double shown = 0;
  std::from_chars(text.data(), end, shown);
  return shown;
}

}  // namespace dl::inference
