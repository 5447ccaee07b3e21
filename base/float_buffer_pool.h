// A pool of vectors that are needed in every round. Mapping some megabytes of memory again each
// time costs more in page faults than writing them.
#pragma once

#include <memory>
#include <vector>

#include "base/float_buffer.h"
#include "base/mutex.h"
#include "base/status.h"

namespace dl {

// Thread-safe. Buffers may outlive the pool. A returned buffer is kept for a later Take of the same
// size. It is freed after a number of takes of any size: kMinIdleTakes, or twice the largest number
// of buffers that were in use at the same time if this is more.
class FloatBufferPool {
 public:
  static constexpr int64_t kMinIdleTakes = 64;

  FloatBufferPool() : shelf_(std::make_shared<Shelf>()) {}

  // Returns a buffer of `count` floats with unspecified content. It returns to the pool when its
  // last owner releases it. Shared, because a state is read by the threads that serve, merge and
  // write it. Returns the errors of FloatBuffer::Create.
  StatusOr<std::shared_ptr<FloatBuffer>> Take(int64_t count);

  // Returns the number of buffers kept for later takes.
  int64_t kept() const;

 private:
  struct Free {
    FloatBuffer buffer;
    int64_t since = 0;  // the value of `takes` when it was returned
  };
  struct Shelf {
    Mutex mutex;
    std::vector<Free> free DL_GUARDED_BY(mutex);  // oldest first
    int64_t takes DL_GUARDED_BY(mutex) = 0;
    int64_t lent DL_GUARDED_BY(mutex) = 0;
    int64_t max_lent DL_GUARDED_BY(mutex) = 0;
  };
  std::shared_ptr<Shelf> shelf_;  // shared with the buffers in use
};

}  // namespace dl
