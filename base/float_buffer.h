// A long-lived array of floats: 64-byte aligned. A buffer of at least 2 MiB uses huge pages if the
// kernel has them. The memory of destroyed buffers is kept for new buffers of the same size, up to
// a bound for the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"

namespace dl {

class FloatBuffer {
 public:
  // Upper bound of the memory kept from destroyed buffers. Beyond it, the oldest is returned to the
  // system.
  static constexpr size_t kMaxIdleBytes = size_t{64} << 20;
  // Returns the memory that is kept now.
  static size_t IdleBytes();
  // Returns the address space of all buffers of the process that exist now, in bytes of whole
  // pages. A page takes memory when it is first accessed.
  static size_t MappedBytes();

  FloatBuffer() = default;
  // Returns a buffer of `count` zeros. Returns ResourceExhausted if `count` is negative or over
  // limits::kMaxBufferFloats, Unavailable if the system has not enough memory.
  static StatusOr<FloatBuffer> Create(int64_t count);

  FloatBuffer(FloatBuffer&& other) noexcept;
  // Exchanges the buffers: `other` keeps the old memory of this object until it is destroyed.
  FloatBuffer& operator=(FloatBuffer&& other) noexcept;
  ~FloatBuffer();

  float* data() { return data_; }  // null if the size is 0
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
