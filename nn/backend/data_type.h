// What the values of a tensor, or of a buffer, are.
#pragma once

#include <cstdint>
#include <type_traits>

namespace dl::nn {

// What is trained, and all that a loss reads and gives, is kFloat32. Layouts have all but kFloat64,
// in which sums are kept.
enum class DataType : uint8_t { kFloat32, kFloat64, kInt32, kUint8 };

constexpr int64_t BytesOf(DataType type) {
  switch (type) {
    case DataType::kFloat64:
      return sizeof(double);
    case DataType::kUint8:
      return sizeof(uint8_t);
    case DataType::kFloat32:
    case DataType::kInt32:
      break;
  }
  return sizeof(float);
}

// Of a C++ type; of another than these it does not compile.
template <typename T>
constexpr DataType TypeOf() {
  if constexpr (std::is_same_v<T, float>) {
    return DataType::kFloat32;
  } else if constexpr (std::is_same_v<T, double>) {
    return DataType::kFloat64;
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return DataType::kInt32;
  } else {
    static_assert(std::is_same_v<T, uint8_t>);
    return DataType::kUint8;
  }
}

}  // namespace dl::nn
