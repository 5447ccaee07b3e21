// Places buffers that live at different times into one block of memory. Time is the position in the
// sequence of forward and backward steps; two buffers share bytes only when no step needs both.
#pragma once

#include <cstdint>
#include <vector>

namespace dl::nn {

// Names a buffer of a plan; -1 for none.
using BufferId = int;
inline constexpr BufferId kNoBuffer = -1;

class ArenaPlan {
 public:
  static constexpr int64_t kAlignmentFloats = 16;  // 64 bytes, a cache line and a vector
  // `floats` rounded up, so that what lies behind them is aligned too.
  static constexpr int64_t Aligned(int64_t floats) {
    return (floats + kAlignmentFloats - 1) / kAlignmentFloats * kAlignmentFloats;
  }

  // A buffer that is first needed now. REQUIRES: floats >= 0.
  BufferId Add(int64_t floats);
  void Use(BufferId id);         // still needed now
  void KeepAlways(BufferId id);  // from the first step to the last
  void Advance() { ++now_; }

  // Assigns offsets (largest first, each to the lowest place that is free all its life) and returns
  // the floats in all.
  int64_t Place();
  int64_t offset(BufferId id) const { return buffers_[id].offset; }

 private:
  struct Buffer {
    int64_t floats = 0;
    int64_t first = 0, last = 0;
    int64_t offset = 0;
  };
  int64_t now_ = 0;
  std::vector<Buffer> buffers_;
};

}  // namespace dl::nn
