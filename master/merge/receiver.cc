#include "master/merge/receiver.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"

namespace dl::master {

StatusOr<Receiver::Progress> Receiver::Take(int64_t offset, int64_t total, uint64_t chunk_xxh3,
                                            std::string_view bytes) {
  if (Xxh3(bytes) != chunk_xxh3) {
    return DataLoss({.message = "a chunk was damaged on its way", .remedy = "Send it again"});
  }
  MutexLock lock(mutex_);
  if (received_ == bytes_ && vector_ != nullptr) return Progress::kComplete;
  if (offset == 0) {
    received_ = 0;
    if (pieces_) pieces_->Restart();
  }
  const int64_t size = static_cast<int64_t>(bytes.size());
  if (total != bytes_ || offset != received_ || size > bytes_ - offset ||
      (size == 0 && bytes_ != 0)) {
    return InvalidArgument(
        {.message = absl::StrCat("a chunk of ", size, " bytes at ", offset, " of ", total,
                                 " does not continue ", received_, " of ", bytes_)});
  }
  if (vector_ == nullptr) {
    DL_ASSIGN_OR_RETURN(vector_, pool_.Take(bytes_ / static_cast<int64_t>(sizeof(float))));
  }
  std::memcpy(reinterpret_cast<std::byte*>(vector_->data()) + offset, bytes.data(), bytes.size());
  received_ += size;
  if (pieces_) {
    if (Status verified = pieces_->Verify(std::as_bytes(vector_->span()).first(received_));
        !verified.ok()) {
      received_ = 0;
      return verified;
    }
  }
  return received_ == bytes_ ? Progress::kComplete : Progress::kMore;
}

std::shared_ptr<FloatBuffer> Receiver::vector() {
  MutexLock lock(mutex_);
  return vector_;
}

PieceHashes Receiver::pieces() {
  MutexLock lock(mutex_);
  return pieces_->pieces();
}

void Receiver::Reset() {
  MutexLock lock(mutex_);
  received_ = 0;
}

}  // namespace dl::master
