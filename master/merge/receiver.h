// Receives one named vector in chunks, from one sender at a time. A part of a state is verified
// piece by piece as it comes; anything else by whoever takes the whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/float_buffer_pool.h"
#include "base/mutex.h"
#include "base/piece_verifier.h"
#include "base/status.h"

namespace dl::master {

// Thread-safe. Chunks come in ascending order; one at offset 0 begins anew (a sender that lost its
// connection, or another sender).
class Receiver {
 public:
  // `pool` outlives the receiver.
  Receiver(int64_t bytes, FloatBufferPool& pool) : bytes_(bytes), pool_(pool) {}
  // Of a part.
  Receiver(PieceVerifier pieces, FloatBufferPool& pool)
      : bytes_(pieces.bytes()), pool_(pool), pieces_(std::move(pieces)) {}

  enum class Progress { kMore, kComplete };
  // Copies the chunk behind what is there. InvalidArgument when it does not fit; DataLoss when its
  // checksum is wrong, or a piece of a part is: then nothing of it stays, and it begins anew. After
  // kComplete nothing more is taken: a repeated last chunk is kComplete again.
  StatusOr<Progress> Take(int64_t offset, int64_t total, uint64_t chunk_xxh3,
                          std::string_view bytes) DL_EXCLUDES(mutex_);

  // REQUIRES: kComplete was returned. Shared, because the merge, a state or a check may hold it.
  std::shared_ptr<FloatBuffer> vector() DL_EXCLUDES(mutex_);
  // REQUIRES: of a part. The list that its name is made of.
  PieceHashes pieces() DL_EXCLUDES(mutex_);
  // What was received is not what its name says: begin anew.
  void Reset() DL_EXCLUDES(mutex_);

 private:
  const int64_t bytes_;
  FloatBufferPool& pool_;
  Mutex mutex_;
  std::shared_ptr<FloatBuffer> vector_ DL_GUARDED_BY(mutex_);
  int64_t received_ DL_GUARDED_BY(mutex_) = 0;
  std::optional<PieceVerifier> pieces_ DL_GUARDED_BY(mutex_);  // of a part
};

}  // namespace dl::master
