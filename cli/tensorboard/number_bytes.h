// Numbers as bytes of event files.
#pragma once

#include <bit>
#include <cstring>
#include <string>

namespace dl::cli {

static_assert(std::endian::native == std::endian::little,
              "numbers of event files are little-endian");

// Appends the bytes of an integer or a floating-point number.
template <typename Number>
void AppendBytes(Number number, std::string& bytes) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof raw);
}

}  // namespace dl::cli
