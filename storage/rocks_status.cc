#include "storage/rocks_status.h"

namespace dl::storage {

Status FromRocks(const rocksdb::Status& status, std::string_view what, const std::string& where) {
  if (status.ok()) return absl::OkStatus();
  ErrorText text{.message = std::string(what) + ": " + status.ToString(), .where = where};
  if (status.IsNoSpace() || status.subcode() == rocksdb::Status::SubCode::kNoSpace) {
    text.remedy = "Free space on the disk that holds the data folder.";
    return ResourceExhausted(std::move(text));
  }
  if (status.IsCorruption()) return DataLoss(std::move(text));
  return FailedPrecondition(std::move(text));
}

bool IsDamage(const rocksdb::Status& status) {
  return status.IsCorruption() || status.IsPathNotFound() || status.IsNotFound() ||
         status.IsInvalidArgument() || status.IsNotSupported();
}

}  // namespace dl::storage
