// Vectors that come and go every round, without mapping memory every round: a fresh mapping of some
// megabytes costs more in page faults than everything that is then done with it.
#pragma once

#include <memory>
#include <vector>

#include "base/float_buffer.h"
#include "base/mutex.h"
#include "base/status.h"

namespace dl {

// Thread-safe. What it lends may outlive it. It keeps what came back until it was not wanted again
// for kPatience takes, or twice as many as it ever lent at one time: sizes that nobody asks for any
// more do not stay.
class FloatBufferPool {
 public:
  static constexpr int64_t kPatience = 64;

  FloatBufferPool() : shelf_(std::make_shared<Shelf>()) {}

  // A buffer of `count` floats whose content is unspecified; it comes back when the last owner lets
  // go. Shared, because states are read by whoever serves, merges or writes them. Errors as
  // FloatBuffer::Create.
  StatusOr<std::shared_ptr<FloatBuffer>> Take(int64_t count);

  // How many it keeps for the next takes.
  int64_t kept() const;

 private:
  struct Free {
    FloatBuffer buffer;
    int64_t since = 0;  // the number of takes when it came back
  };
  struct Shelf {
    Mutex mutex;
    std::vector<Free> free DL_GUARDED_BY(mutex);  // oldest first
    int64_t takes DL_GUARDED_BY(mutex) = 0;
    int64_t lent DL_GUARDED_BY(mutex) = 0;
    int64_t most_lent DL_GUARDED_BY(mutex) = 0;
  };
  std::shared_ptr<Shelf> shelf_;  // shared with what is lent
};

}  // namespace dl
