// A long-lived array of floats: 64-byte aligned, on huge pages where the kernel has them, allocated
// once and reused. The memory of those that ended serves the next of their size, up to a bound for
// the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"

namespace dl {

class FloatBuffer {
 public:
  // Of all that ended and are not in use again; what is more goes back to the system, the oldest
  // first.
  static constexpr size_t kMaxIdleBytes = size_t{64} << 20;
  static size_t IdleBytes();

  FloatBuffer() = default;
  // Zeroed. ResourceExhausted when `count` is negative, over limits::kMaxBufferFloats or the memory
  // is not there.
  static StatusOr<FloatBuffer> Create(int64_t count);

  FloatBuffer(FloatBuffer&& other) noexcept;
  FloatBuffer& operator=(FloatBuffer&& other) noexcept;
  ~FloatBuffer();

  float* data() { return data_; }
  const float* data() const { return data_; }
  int64_t size() const { return size_; }
  std::span<float> span() { return {data_, static_cast<size_t>(size_)}; }
  std::span<const float> span() const { return {data_, static_cast<size_t>(size_)}; }

 private:
  float* data_ = nullptr;
  int64_t size_ = 0;
  size_t mapped_bytes_ = 0;
};

}  // namespace dl
