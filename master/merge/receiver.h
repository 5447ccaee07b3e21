// Receives a vector in chunks, from one sender at a time. A part of a state is verified piece by
// piece on arrival. Other vectors must be verified by the caller when complete.
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

// Thread-safe. Chunks must arrive in ascending order. After a lost connection, a sender starts
// again at offset 0. For vectors, bytes that were already received are skipped, and the sender is
// told where to continue. For parts, all bytes are received again, because the sender may be
// another.
class Receiver {
 public:
  // `pool` must outlive the receiver.
  Receiver(int64_t bytes, FloatBufferPool& pool) : bytes_(bytes), pool_(pool) {}
  // Receives a part of a state.
  Receiver(PieceVerifier pieces, FloatBufferPool& pool)
      : bytes_(pieces.bytes()), pool_(pool), pieces_(std::move(pieces)) {}

  enum class Progress { kMore, kComplete };
  struct TakeResult {
    Progress progress = Progress::kMore;
    int64_t received = 0;  // bytes received so far; the next chunk begins there
    int64_t fresh = 0;     // bytes that were received for the first time
    // If the chunk begins a delivery: number of deliveries in a row before it that brought no new
    // bytes.
    int64_t deliveries_without_progress = 0;
    // The content, if `progress` is kComplete. Shared with the merge, a state or a check. The
    // receiver does not change it any more.
    std::shared_ptr<FloatBuffer> vector;
  };
  // Appends the new bytes of the chunk. A chunk that would leave a gap in a vector is ignored,
  // which `received` shows. Returns InvalidArgument if the chunk does not fit into the content, or
  // would leave a gap in a part. Returns DataLoss if its checksum, or a piece of a part, is wrong;
  // after a wrong piece, the part is received from the start. The first chunk may return the errors
  // of FloatBufferPool::Take. After kComplete, no more bytes are accepted, and each further chunk
  // returns kComplete again.
  StatusOr<TakeResult> Take(int64_t offset, int64_t total, uint64_t chunk_xxh3,
                            std::string_view bytes) DL_EXCLUDES(mutex_);

  // The piece hashes that give the part's name. REQUIRES: this receives a part.
  PieceHashes pieces() DL_EXCLUDES(mutex_);
  // Discards the complete content `vector`, because it does not match its name. The next delivery
  // starts from 0 and has another buffer, because other threads may still read this one. Does
  // nothing if another thread has discarded this content already.
  void Discard(const std::shared_ptr<FloatBuffer>& vector) DL_EXCLUDES(mutex_);

 private:
  int64_t BeginAgain() DL_REQUIRES(mutex_);

  const int64_t bytes_;
  FloatBufferPool& pool_;
  Mutex mutex_;
  std::shared_ptr<FloatBuffer> vector_ DL_GUARDED_BY(mutex_);
  int64_t received_ DL_GUARDED_BY(mutex_) = 0;
  int64_t max_received_ DL_GUARDED_BY(mutex_) = 0;  // maximum of received_
  // Value of max_received_ at the start of the current delivery; nullopt before the first chunk.
  std::optional<int64_t> max_received_at_begin_ DL_GUARDED_BY(mutex_);
  int64_t deliveries_without_progress_ DL_GUARDED_BY(mutex_) = 0;
  std::optional<PieceVerifier> pieces_ DL_GUARDED_BY(mutex_);  // for parts
};

}  // namespace dl::master
