// Receives one named vector in chunks, from one sender at a time, and checks it when it is whole.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/float_buffer_pool.h"
#include "base/mutex.h"
#include "base/status.h"

namespace dl::master {

// Thread-safe. Chunks come in ascending order; one at offset 0 begins anew (a sender that lost its
// connection, or another sender).
class Receiver {
 public:
  // `pool` outlives the receiver.
  Receiver(int64_t bytes, FloatBufferPool& pool) : bytes_(bytes), pool_(pool) {}

  enum class Progress { kMore, kComplete };
  // Copies the chunk behind what is there. InvalidArgument when it does not fit; DataLoss when its
  // checksum is wrong. After kComplete nothing more is taken: a repeated last chunk is kComplete
  // again.
  StatusOr<Progress> Take(int64_t offset, int64_t total, uint64_t chunk_xxh3,
                          std::string_view bytes) DL_EXCLUDES(mutex_);

  // REQUIRES: kComplete was returned. Shared, because the merge, a state or a check may hold it.
  std::shared_ptr<FloatBuffer> vector() DL_EXCLUDES(mutex_);
  // What was received is not what its name says: begin anew.
  void Reset() DL_EXCLUDES(mutex_);

 private:
  const int64_t bytes_;
  FloatBufferPool& pool_;
  Mutex mutex_;
  std::shared_ptr<FloatBuffer> vector_ DL_GUARDED_BY(mutex_);
  int64_t received_ DL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dl::master
