#include "cli/tensorboard/event_file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/system_error.h"
#include "cli/exit_code.h"

namespace dl::cli {
namespace {

constexpr std::string_view kEventFilePrefix = "events.out.tfevents.";

}  // namespace

EventFile::EventFile(const std::string& folder, const std::string& job)
    : folder_(folder + "/" + job), job_(job) {}

std::string EventFile::PathOf(int64_t number) const {
  // TensorBoard reads files in the order of their names.
  return absl::StrFormat("%s/%s%010d.%s", folder_, kEventFilePrefix, number, job_);
}

StatusOr<int64_t> EventFile::FindNumber() const {
  int64_t highest = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder_, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(kEventFilePrefix) || !name.ends_with("." + job_)) continue;
    const size_t digits = name.size() - kEventFilePrefix.size() - job_.size() - 1;
    int64_t number = 0;
    if (absl::SimpleAtoi(name.substr(kEventFilePrefix.size(), digits), &number))
      highest = std::max(highest, number);
  }
  if (error) return SystemError(error.value(), "read the folder", folder_);
  return highest;
}

Status EventFile::Rename(const std::string& from, const std::string& to) const {
  if (from == to) return absl::OkStatus();
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) return SystemError(error.value(), "rename the file", from);
  return SyncFolder(folder_);
}

Status EventFile::Replace(int64_t number, ByteContent content) {
  if (Status status = CreateFolders(folder_); !status.ok())
    return WithExitCode(status, kInputOutput);
  const StatusOr<int64_t> last = FindNumber();
  if (!last.ok()) return WithExitCode(last.status(), kInputOutput);
  // TensorBoard reads every file with "tfevents" in its name, so the new content gets another name
  // until it is complete. Then it replaces the old file, which gets its new name last. Each of
  // these changes is atomic.
  const std::string unfinished = folder_ + "/unfinished";
  const std::string old = PathOf(*last == 0 ? number : *last);
  const std::string path = *last == 0 ? old : PathOf(*last + 1);
  Status from_content;
  const Status written = WriteOutputFile(unfinished, [&](ByteSink sink) {
    return from_content = content(
               [&](std::string_view bytes) { return WithExitCode(sink(bytes), kInputOutput); });
  });
  if (!from_content.ok()) return from_content;
  if (!written.ok()) return WithExitCode(written, kInputOutput);
  if (Status status = Rename(unfinished, old); !status.ok())
    return WithExitCode(status, kInputOutput);
  if (Status status = Rename(old, path); !status.ok()) return WithExitCode(status, kInputOutput);
  path_ = path;
  std::error_code error;
  size_ = std::filesystem::file_size(path_, error);
  return absl::OkStatus();
}

Status EventFile::Append(std::string_view bytes) {
  std::error_code error;
  if (std::filesystem::file_size(path_, error) != size_ || error) {
    return WithExitCode(FailedPrecondition({.message = "another process changed the event file",
                                            .where = path_,
                                            .remedy = "Write each folder by one command"}),
                        kInputOutput);
  }
  std::ofstream file(path_, std::ios::app | std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) return WithExitCode(SystemError(errno, "append to the file", path_), kInputOutput);
  size_ += bytes.size();
  return absl::OkStatus();
}

}  // namespace dl::cli
