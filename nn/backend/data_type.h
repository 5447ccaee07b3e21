// Types of the values of a tensor or buffer.
#pragma once

#include <cstdint>
#include <type_traits>

namespace dl::nn {

// Trained values, and the inputs and outputs of losses, are kFloat32. kBf16 is used only with
// nn::Precision::kBf16 (nn/conf/precision.h). kFloat64 is used only for buffers of sums. A Layout
// (nn/backend/layout.h) can have every type except kFloat64.
enum class DataType : uint8_t { kFloat32, kBf16, kFloat64, kInt32, kUint8 };

// Returns the size of one value in bytes.
constexpr int64_t BytesOf(DataType type) {
  switch (type) {
    case DataType::kFloat64:
      return sizeof(double);
    case DataType::kUint8:
      return sizeof(uint8_t);
    case DataType::kBf16:
      return sizeof(uint16_t);
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
  } else if constexpr (std::is_same_v<T, uint16_t>) {
    return DataType::kBf16;  // the upper half of a float (nn/kernels/bf16.h)
  } else {
    static_assert(std::is_same_v<T, uint8_t>);
    return DataType::kUint8;
  }
}

// The types of the tensors of a product and of its two gradients. A bias, and the gradients of
// weights and bias, are always kFloat32, and so are all additions.
struct ProductTypes {
  DataType factors = DataType::kFloat32;      // source, weights and diff_destination
  DataType for_weights = DataType::kFloat32;  // source and diff_destination, for diff_weights
  DataType destination = DataType::kFloat32;  // result of the forward kernel
  DataType diff_source = DataType::kFloat32;  // gradient with respect to the source
};

}  // namespace dl::nn
