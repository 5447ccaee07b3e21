#include "master/gateway/short_number.h"

#include <charconv>
#include <cmath>

#include "base/json.h"

namespace dl::master {

Json ShortNumberJson(float value) {
  if (!std::isfinite(value)) return nullptr;
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, value);
  double number = 0;
  std::from_chars(text, written.ptr, number);
  return number;
}

}  // namespace dl::master
