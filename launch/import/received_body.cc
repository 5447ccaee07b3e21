#include "launch/import/received_body.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "base/closed_folder.h"
#include "base/system_error.h"

namespace dl::launch {
namespace {

// The blocks of a file are about as large as the file, and so are the rows that an import keeps on
// the disk.
constexpr int64_t kSpaceForImport = 3;
constexpr int64_t kBytesBetweenChecks = 4 << 20;

}  // namespace

Status ReceivedBody::Open() {
  DL_RETURN_IF_ERROR(CreateClosedFolder(options_.folder));
  DL_RETURN_IF_ERROR(CheckUploadSpace(options_.folder, kSpaceForImport * options_.bytes,
                                      options_.left_free, options_.name));
  const std::string path = absl::StrCat(options_.folder, "/", options_.name);
  file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return file_.valid() ? absl::OkStatus() : SystemError(errno, "create", options_.name);
}

Status ReceivedBody::Write(std::string_view piece) {
  if (!file_.valid()) DL_RETURN_IF_ERROR(Open());
  const int64_t checked = written_ / kBytesBetweenChecks;
  written_ += static_cast<int64_t>(piece.size());
  if (written_ / kBytesBetweenChecks != checked) {
    DL_RETURN_IF_ERROR(
        CheckUploadSpace(options_.folder, kBytesBetweenChecks, options_.left_free, options_.name));
  }
  while (!piece.empty()) {
    const ssize_t wrote = ::write(file_.get(), piece.data(), piece.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return SystemError(errno, "write", options_.name);
    piece.remove_prefix(static_cast<size_t>(wrote));
  }
  return absl::OkStatus();
}

StatusOr<std::string> ReceivedBody::Finish() {
  if (written_ == 0) {
    return InvalidArgument({.message = "the request has no file",
                            .where = "body",
                            .remedy = "Send the file as the body, for example with curl -T FILE"});
  }
  file_.Close();
  finished_ = true;
  return options_.received();
}

}  // namespace dl::launch
