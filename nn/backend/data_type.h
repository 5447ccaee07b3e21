// Types of the values of a tensor or buffer.
#pragma once

#include <cstdint>
#include <type_traits>

namespace dl::nn {

// Trained values, and the inputs and outputs of losses, are kFloat32. kFloat64 is used only for
// buffers of sums. A Layout (nn/backend/layout.h) can have every type except kFloat64.
enum class DataType : uint8_t { kFloat32, kFloat64, kInt32, kUint8 };

// Returns the size of one value in bytes.
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

// Returns the DataType of a C++ type. Other types are a compile error.
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
