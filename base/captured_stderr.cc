#include "base/captured_stderr.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dl {

CapturedStderr::CapturedStderr() : fd_(memfd_create("stderr", MFD_CLOEXEC)) {}

// The child opens it by its path under this process's /proc entry.
ChildOutput CapturedStderr::output() const {
  return fd_.get() < 0 ? ChildOutput::Inherit()
                       : ChildOutput::File(absl::StrCat("/proc/", getpid(), "/fd/", fd_.get()));
}

std::string CapturedStderr::Text() const {
  constexpr size_t kMost = 64 << 10;
  std::string text(kMost, '\0');
  const ssize_t got = fd_.get() < 0 ? 0 : pread(fd_.get(), text.data(), text.size(), 0);
  text.resize(std::max<ssize_t>(got, 0));
  return text;
}

}  // namespace dl
