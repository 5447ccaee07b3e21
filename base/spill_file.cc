#include "base/spill_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "base/system_error.h"

namespace dl {
namespace {

Status WithRemedy(const Status& status, const std::string& folder, std::string_view remedy) {
  Status out = MakeError(
      status.code(),
      {.message = std::string(status.message()), .where = folder, .remedy = std::string(remedy)});
  // Keeps the other payloads, such as the errno.
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    if (!out.GetPayload(url)) out.SetPayload(url, value);
  });
  return out;
}

}  // namespace

StatusOr<std::unique_ptr<SpillFile>> SpillFile::Create(const std::string& folder,
                                                       const Purpose& purpose) {
  std::error_code error;
  const std::string in =
      folder.empty() ? std::filesystem::temp_directory_path(error).string() : folder;
  const std::string action = absl::StrCat("make a temporary file for ", purpose.what);
  if (error)
    return WithRemedy(CreationError(error.value(), action, "TMPDIR"), "TMPDIR", purpose.remedy);
  FileDescriptor file(open(in.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid() && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    // The file system does not support unnamed files: the file has a name for a moment.
    std::string name = in + "/paravane-XXXXXX";
    file = FileDescriptor(mkostemp(name.data(), O_CLOEXEC));
    if (file.valid()) unlink(name.c_str());
  }
  if (!file.valid()) return WithRemedy(CreationError(errno, action, in), in, purpose.remedy);
  return std::unique_ptr<SpillFile>(new SpillFile(std::move(file), in, purpose));
}

Status SpillFile::WriteAt(int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = pwrite(file_.get(), bytes.data(), bytes.size(), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0)
      return WithRemedy(
          SystemError(errno, absl::StrCat("write ", purpose_.what, " to a temporary file"),
                      folder_),
          folder_, purpose_.remedy);
    offset += done;
    bytes = bytes.subspan(done);
    bytes_ = std::max(bytes_, offset);
  }
  return absl::OkStatus();
}

Status SpillFile::ReadAt(int64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t done = pread(file_.get(), out.data(), out.size(), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0)
      return SystemError(errno, absl::StrCat("read ", purpose_.what, " back from a temporary file"),
                         folder_);
    if (done == 0)
      return DataLoss(
          {.message = absl::StrCat("a temporary file for ", purpose_.what, " is too short"),
           .where = folder_});
    offset += done;
    out = out.subspan(done);
  }
  return absl::OkStatus();
}

}  // namespace dl
