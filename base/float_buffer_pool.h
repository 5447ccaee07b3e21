// Vectors that come and go every round, without mapping memory every round: a fresh mapping of some
// megabytes costs more in page faults than everything that is then done with it.
#pragma once

#include <memory>
#include <vector>

#include "base/float_buffer.h"
#include "base/mutex.h"
#include "base/status.h"

namespace dl {

// Thread-safe. What it lends may outlive it. It keeps what came back: its memory is the most that
// was lent at one time, until it ends.
class FloatBufferPool {
 public:
  FloatBufferPool() : shelf_(std::make_shared<Shelf>()) {}

  // A buffer of `count` floats whose content is unspecified; it comes back when the last owner lets
  // go. Shared, because states are read by whoever serves, merges or writes them. Errors as
  // FloatBuffer::Create.
  StatusOr<std::shared_ptr<FloatBuffer>> Take(int64_t count);

 private:
  struct Shelf {
    Mutex mutex;
    std::vector<FloatBuffer> free DL_GUARDED_BY(mutex);
  };
  std::shared_ptr<Shelf> shelf_;  // shared with what is lent
};

}  // namespace dl
