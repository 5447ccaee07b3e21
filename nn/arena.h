// Places buffers that live at different times in one block of memory. Time is the position in the
// sequence of forward and backward steps. Two buffers share bytes only if no step needs both.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/backend/layout.h"

namespace dl::nn {

// Index of a buffer in a plan. kNoBuffer (-1) means none.
using BufferId = int;
inline constexpr BufferId kNoBuffer = -1;

class ArenaPlan {
 public:
  static constexpr int64_t kAlignment = 64;  // bytes: size of a cache line and of a vector register
  // Returns `values` rounded up to a multiple of kAlignment bytes, so that the next buffer is
  // aligned.
  template <typename T = float>
  static constexpr int64_t Aligned(int64_t values) {
    constexpr int64_t kStep = kAlignment / static_cast<int64_t>(sizeof(T));
    return (values + kStep - 1) / kStep * kStep;
  }

  // Adds a buffer of `values` values whose life begins at the current step. REQUIRES: values >= 0.
  template <typename T = float>
  BufferId Add(int64_t values) {
    return AddBytes(values * static_cast<int64_t>(sizeof(T)), TypeOf<T>());
  }
  BufferId Add(const Layout& layout) { return AddBytes(layout.bytes(), layout.type()); }
  // The functions with a BufferId REQUIRE an id that Add returned.
  void Use(BufferId id);         // extends the buffer's life to the current step
  void KeepAlways(BufferId id);  // the buffer lives from the first step to the last
  void Advance() { ++now_; }     // begins the next step

  // Assigns an offset to each buffer: in order of decreasing size, each at the lowest offset that
  // is free during its whole life. Returns the total size in bytes, a multiple of kAlignment.
  int64_t Place();
  int64_t offset(BufferId id) const { return buffers_[id].offset; }  // in bytes, after Place()
  DataType type(BufferId id) const { return buffers_[id].type; }

 private:
  BufferId AddBytes(int64_t bytes, DataType type);

  struct Buffer {
    int64_t bytes = 0;
    DataType type = DataType::kFloat32;
    int64_t first = 0, last = 0;
    int64_t offset = 0;
  };
  int64_t now_ = 0;
  std::vector<Buffer> buffers_;
};

}  // namespace dl::nn
