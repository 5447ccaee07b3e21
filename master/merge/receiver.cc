#include "master/merge/receiver.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"

namespace dl::master {

StatusOr<Receiver::TakeResult> Receiver::Take(int64_t offset, int64_t total, uint64_t chunk_xxh3,
                                              std::string_view bytes) {
  if (Xxh3(bytes) != chunk_xxh3) {
    return DataLoss(
        {.message = "a chunk was damaged during the transfer", .remedy = "Send it again"});
  }
  MutexLock lock(mutex_);
  if (received_ == bytes_ && vector_ != nullptr)
    return TakeResult{.progress = Progress::kComplete, .received = bytes_, .vector = vector_};
  if (offset == 0 && pieces_) {
    received_ = 0;
    pieces_->Restart();
  }
  const int64_t size = static_cast<int64_t>(bytes.size());
  const bool continues = pieces_ ? offset == received_ : offset >= 0;
  if (total != bytes_ || !continues || size > bytes_ - offset || (size == 0 && bytes_ != 0)) {
    return InvalidArgument(
        {.message = absl::StrCat("a chunk of ", size, " bytes at offset ", offset, " of ", total,
                                 " does not follow the ", received_, " of ", bytes_,
                                 " bytes that were received")});
  }
  TakeResult taken;
  if (offset == 0) taken.deliveries_without_progress = BeginAgain();
  if (vector_ == nullptr) {
    DL_ASSIGN_OR_RETURN(vector_, pool_.Take(bytes_ / static_cast<int64_t>(sizeof(float))));
  }
  // Bytes of the chunk that were received already; < 0: a gap.
  const int64_t known = received_ - offset;
  if (known >= 0 && known < size) {
    std::memcpy(reinterpret_cast<std::byte*>(vector_->data()) + received_, bytes.data() + known,
                static_cast<size_t>(size - known));
    received_ = offset + size;
  }
  if (pieces_) {
    if (Status verified = pieces_->Verify(std::as_bytes(vector_->span()).first(received_));
        !verified.ok()) {
      received_ = 0;
      return verified;
    }
  }
  taken.received = received_;
  taken.fresh = std::max<int64_t>(0, received_ - max_received_);
  max_received_ += taken.fresh;
  if (received_ == bytes_) {
    taken.progress = Progress::kComplete;
    taken.vector = vector_;
  }
  return taken;
}

// Returns the number of deliveries in a row without new bytes, not counting the one that begins.
int64_t Receiver::BeginAgain() {
  deliveries_without_progress_ =
      max_received_at_begin_ == max_received_ ? deliveries_without_progress_ + 1 : 0;
  max_received_at_begin_ = max_received_;
  return deliveries_without_progress_;
}

PieceHashes Receiver::pieces() {
  MutexLock lock(mutex_);
  return pieces_->pieces();
}

void Receiver::Discard(const std::shared_ptr<FloatBuffer>& vector) {
  MutexLock lock(mutex_);
  if (vector_ != vector) return;
  vector_ = nullptr;
  received_ = 0;
}

}  // namespace dl::master
