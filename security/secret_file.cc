#include "security/secret_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/limits.h"

namespace dl::security {
namespace {

constexpr mode_t kOthers = 077;

Status CheckRights(const std::string& path, const std::string& shown) {
  struct stat there = {};
  // If stat fails, reading fails too, with a better error. The rights of a pipe do not matter.
  if (stat(path.c_str(), &there) != 0 || !S_ISREG(there.st_mode) || (there.st_mode & kOthers) == 0)
    return absl::OkStatus();
  return Denied(
      {.message = "other users can read or change the token file",
       .where = shown,
       .remedy = absl::StrCat(
           "chmod 600 ", path == shown ? path : "the file that it comes from",
           "; if others may have read it, revoke the token: dl-submit cluster token revoke")});
}

// Returns the descriptor that a path names, or -1.
int DescriptorOf(const std::string& path) {
  if (path == "/dev/stdin") return 0;
  for (const char* folder : {"/dev/fd/", "/proc/self/fd/"}) {
    int fd = -1;
    if (path.starts_with(folder) && absl::SimpleAtoi(path.substr(strlen(folder)), &fd)) return fd;
  }
  return -1;
}

// The content of a pipe is lost after it is read, but an executor that restarts its process reads
// the token again. So the pipe is replaced by a memory file with the same content.
void Keep(int fd, const std::string& text) {
  const FileDescriptor memory(memfd_create("token", MFD_CLOEXEC));
  if (!memory.valid() || fchmod(memory.get(), 0600) != 0 ||
      write(memory.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return;
  }
  (void)dup2(memory.get(), fd);
}

}  // namespace

StatusOr<Token> ReadTokenFile(const std::string& path) {
  const std::string from = path == "-" ? "/dev/stdin" : path;
  const std::string shown = path == "-" ? "standard input" : path;
  DL_RETURN_IF_ERROR(CheckRights(from, shown));
  DL_ASSIGN_OR_RETURN(const std::string text, ReadFile(from, limits::kMaxTokenFileBytes));
  auto token = ParseToken(text);
  struct stat there = {};
  const int fd = DescriptorOf(from);
  if (token.ok() && fd >= 0 && fstat(fd, &there) == 0 && !S_ISREG(there.st_mode)) Keep(fd, text);
  if (token.ok()) return token;
  return InvalidArgument({.message = std::string(token.status().message()),
                          .where = shown,
                          .remedy = ErrorRemedy(token.status())});
}

Status CheckKeyPermissions(const std::string& path) {
  struct stat there = {};
  if (stat(path.c_str(), &there) != 0 || !S_ISREG(there.st_mode)) return absl::OkStatus();
  const bool of_root = there.st_uid == 0;
  if ((there.st_mode & (of_root ? kOthers & ~S_IRGRP : kOthers)) == 0) return absl::OkStatus();
  return Denied({.message = "other users can read or change the private key",
                 .where = path,
                 .remedy = absl::StrCat("chmod ", of_root ? "640 " : "600 ", path,
                                        "; if others may have read it, create another key")});
}

Status WriteTokenFile(const std::string& path, const Token& token) {
  return AtomicWriteSecret(path, ToString(token) + "\n");
}

}  // namespace dl::security
