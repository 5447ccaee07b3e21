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
  int64_t now() const { return now_; }

  // Adds a step after now() for each step from `first` to `last`, as its repetition. now() is then
  // the last added step. A buffer that was added in one of the repeated steps gets a second life,
  // which begins when it is written again. Its bytes belong to other buffers from its last use so
  // far until then. A buffer that was added before `first` and used in a repeated step lives until
  // the repetition of that use. REQUIRES: first <= last <= now(); each step is repeated at most
  // once; later calls repeat earlier steps.
  void Repeat(int64_t first, int64_t last);

  // Assigns an offset to each buffer: in order of decreasing size, each at the lowest offset that
  // is free during its whole life. Returns the total size in bytes, a multiple of kAlignment.
  int64_t Place();
  int64_t offset(BufferId id) const { return buffers_[id].offset; }  // in bytes, after Place()
  DataType type(BufferId id) const { return buffers_[id].type; }

 private:
  BufferId AddBytes(int64_t bytes, DataType type);

  struct Life {
    int64_t first = 0, last = -1;  // steps
    bool Overlaps(const Life& other) const { return first <= other.last && other.first <= last; }
  };
  struct Buffer {
    int64_t bytes = 0;
    DataType type = DataType::kFloat32;
    Life life;
    Life second = {};  // after Repeat; empty if last < first
    int64_t offset = 0;

    bool HasSecond() const { return second.first <= second.last; }
    int64_t& last() { return HasSecond() ? second.last : life.last; }
    bool LivesWith(const Buffer& other) const;
  };
  struct Usage {
    int64_t step = 0;
    BufferId buffer = kNoBuffer;
  };
  int64_t now_ = 0;
  std::vector<Usage> usages_;
  std::vector<Buffer> buffers_;
};

}  // namespace dl::nn
