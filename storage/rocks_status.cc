#include "storage/rocks_status.h"

#include <cerrno>
#include <cstring>

#include "base/system_error.h"

namespace dl::storage {

Status FromRocks(const rocksdb::Status& status, std::string_view what, const std::string& where) {
  if (status.ok()) return absl::OkStatus();
  ErrorText text{.message = std::string(what) + ": " + status.ToString(), .where = where};
  if (status.IsNoSpace() || status.subcode() == rocksdb::Status::SubCode::kNoSpace) {
    text.remedy = "Free space on the disk that holds the data folder.";
    return ResourceExhausted(std::move(text));
  }
  // RocksDB reports the errno only in its text.
  for (const int error : {EMFILE, ENFILE, ENOMEM, EFBIG}) {
    if (status.IsIOError() && text.message.ends_with(std::strerror(error)))
      return SystemError(error, what.substr(what.starts_with("cannot ") ? 7 : 0), where);
  }
  if (status.IsCorruption()) return DataLoss(std::move(text));
  return FailedPrecondition(std::move(text));
}

bool IsDamage(const rocksdb::Status& status) {
  return status.IsCorruption() || status.IsPathNotFound() || status.IsNotFound() ||
         status.IsInvalidArgument() || status.IsNotSupported();
}

}  // namespace dl::storage
