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

// Thread-safe. Chunks come in ascending order. A sender that lost its connection begins again at
// offset 0. Bytes of a vector that were received already are skipped, and the sender is told where
// to go on. A part may have another sender then, so all of it is received again.
class Receiver {
 public:
  // `pool` outlives the receiver.
  Receiver(int64_t bytes, FloatBufferPool& pool) : bytes_(bytes), pool_(pool) {}
  // Of a part.
  Receiver(PieceVerifier pieces, FloatBufferPool& pool)
      : bytes_(pieces.bytes()), pool_(pool), pieces_(std::move(pieces)) {}

  enum class Progress { kMore, kComplete };
  struct Taken {
    Progress progress = Progress::kMore;
    int64_t received = 0;  // bytes of the whole that are here; the next chunk begins there
    int64_t fresh = 0;     // bytes that have never been here before
    // The chunk begins the delivery again, and so many deliveries in a row brought nothing fresh.
    int64_t in_vain = 0;
  };
  // Appends the new bytes of the chunk. A chunk of a vector that leaves a gap is
  // not taken, which `received` says. InvalidArgument when it does not fit; DataLoss when its
  // checksum is wrong, or a piece of a part is: then nothing of it stays, and it begins anew. After
  // kComplete nothing more is taken: a repeated last chunk is kComplete again.
  StatusOr<Taken> Take(int64_t offset, int64_t total, uint64_t chunk_xxh3, std::string_view bytes)
      DL_EXCLUDES(mutex_);

  // REQUIRES: kComplete was returned. Shared, because the merge, a state or a check may hold it.
  std::shared_ptr<FloatBuffer> vector() DL_EXCLUDES(mutex_);
  // REQUIRES: of a part. The list that its name is made of.
  PieceHashes pieces() DL_EXCLUDES(mutex_);
  // What was received is not what its name says: begin anew.
  void Reset() DL_EXCLUDES(mutex_);

 private:
  int64_t BeginAgain() DL_REQUIRES(mutex_);

  const int64_t bytes_;
  FloatBufferPool& pool_;
  Mutex mutex_;
  std::shared_ptr<FloatBuffer> vector_ DL_GUARDED_BY(mutex_);
  int64_t received_ DL_GUARDED_BY(mutex_) = 0;
  int64_t most_ DL_GUARDED_BY(mutex_) = 0;  // that received_ ever was
  // most_ when the delivery began last; none before its first chunk.
  std::optional<int64_t> most_at_begin_ DL_GUARDED_BY(mutex_);
  int64_t in_vain_ DL_GUARDED_BY(mutex_) = 0;
  std::optional<PieceVerifier> pieces_ DL_GUARDED_BY(mutex_);  // of a part
};

}  // namespace dl::master
