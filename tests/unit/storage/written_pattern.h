// Pattern that the writer process writes and its tests expect.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace dl::storage {

inline std::string PatternKey(uint64_t n) {
  char text[32];
  std::snprintf(text, sizeof(text), "key-%08llu", static_cast<unsigned long long>(n));
  return text;
}

// The size varies, so that writes end anywhere in a block of the log.
inline std::string PatternValue(uint64_t n) {
  std::string value(100 + n * 37 % 3000, '\0');
  for (size_t i = 0; i < value.size(); ++i) value[i] = static_cast<char>((n * 131 + i * 7) & 0xff);
  return value;
}

}  // namespace dl::storage
