// Places buffers that live at different times into one block of memory. Time is the position in the
// sequence of forward and backward steps; two buffers share bytes only when no step needs both.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/backend/layout.h"

namespace dl::nn {

// Names a buffer of a plan; -1 for none.
using BufferId = int;
inline constexpr BufferId kNoBuffer = -1;

class ArenaPlan {
 public:
  static constexpr int64_t kAlignment = 64;  // bytes: a cache line and a vector
  // `values` rounded up, so that what lies behind them is aligned too.
  template <typename T = float>
  static constexpr int64_t Aligned(int64_t values) {
    constexpr int64_t kStep = kAlignment / static_cast<int64_t>(sizeof(T));
    return (values + kStep - 1) / kStep * kStep;
  }

  // A buffer that is first needed now, for so many values. REQUIRES: values >= 0.
  template <typename T = float>
  BufferId Add(int64_t values) {
    return AddBytes(values * static_cast<int64_t>(sizeof(T)), TypeOf<T>());
  }
  BufferId Add(const Layout& layout) { return AddBytes(layout.bytes(), layout.type()); }
  void Use(BufferId id);         // still needed now
  void KeepAlways(BufferId id);  // from the first step to the last
  void Advance() { ++now_; }

  // Assigns offsets (largest first, each to the lowest place that is free all its life) and returns
  // the bytes in all, a multiple of kAlignment.
  int64_t Place();
  int64_t offset(BufferId id) const { return buffers_[id].offset; }  // in bytes
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
