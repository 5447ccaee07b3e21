// Converts the values of NumPy arrays from the type that the header declares.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <type_traits>

#include "dataset/readers/array/npy_array.h"

namespace dl::dataset {

// Returns the value at `bytes`, converted from the given byte order.
template <typename T>
T ValueAt(const std::byte* bytes, bool big_endian) {
  std::byte own[sizeof(T)];
  std::memcpy(own, bytes, sizeof(T));
  if (big_endian) std::reverse(std::begin(own), std::end(own));
  T value;
  std::memcpy(&value, own, sizeof(T));
  return value;
}

// Returns whether double does not represent the value: whole numbers with more than 53 digits in
// binary.
template <typename T>
bool IsInexactInDouble(T value) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    constexpr int kDigits = 53;
    const auto bits = static_cast<uint64_t>(value);
    const uint64_t magnitude = std::is_signed_v<T> && value < 0 ? 0 - bits : bits;
    return static_cast<int>(std::bit_width(magnitude)) > kDigits + std::countr_zero(magnitude);
  }
  return false;
}

// Calls `use` with each value of `bytes` in its own type, until `use` returns false. Returns the
// number of values for which it returned true.
template <typename T, typename Use>
int64_t EachValue(std::span<const std::byte> bytes, bool big_endian, const Use& use) {
  const auto count = static_cast<int64_t>(bytes.size() / sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    if (!use(ValueAt<T>(bytes.data() + i * sizeof(T), big_endian))) return i;
  }
  return count;
}
template <typename Use>
int64_t EachValue(const NpyHeader& header, std::span<const std::byte> bytes, const Use& use) {
  const bool big = header.big_endian;
  switch (header.item_bytes) {
    case 1:
      return header.kind == 'i' ? EachValue<int8_t>(bytes, big, use)
                                : EachValue<uint8_t>(bytes, big, use);
    case 2:
      return header.kind == 'i' ? EachValue<int16_t>(bytes, big, use)
                                : EachValue<uint16_t>(bytes, big, use);
    case 4:
      return header.kind == 'f'   ? EachValue<float>(bytes, big, use)
             : header.kind == 'i' ? EachValue<int32_t>(bytes, big, use)
                                  : EachValue<uint32_t>(bytes, big, use);
    default:
      return header.kind == 'f'   ? EachValue<double>(bytes, big, use)
             : header.kind == 'i' ? EachValue<int64_t>(bytes, big, use)
                                  : EachValue<uint64_t>(bytes, big, use);
  }
}

}  // namespace dl::dataset
