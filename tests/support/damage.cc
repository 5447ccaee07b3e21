#include "tests/support/damage.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/status.h"

namespace dl::test {
namespace {

// Puts this process into its own mount namespace, so that a test program that dies leaves no mount.
// Runs before any thread exists, because the thread that starts children is not the thread that
// mounts. 0, or the error: EINVAL in a chroot whose root is not a mount point.
const int no_own_mounts =
    unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0
        ? 0
        : errno;

bool MountWithSize(const std::string& path, int64_t bytes, unsigned long flags) {
  const std::string size = "size=" + std::to_string(bytes);
  return mount("tmpfs", path.c_str(), "tmpfs", flags, size.c_str()) == 0;
}

struct statvfs Ask(const std::string& path) {
  struct statvfs info = {};
  DL_CHECK(statvfs(path.c_str(), &info) == 0);
  return info;
}

}  // namespace

SmallDisk::SmallDisk(int64_t bytes) : bytes_(bytes) {
  errno = no_own_mounts;
  if (errno != 0 || !MountWithSize(path(), bytes, 0))
    refused_ = std::string("this process may not mount a tmpfs: ") + std::strerror(errno);
}

SmallDisk::~SmallDisk() {
  if (refused_.empty()) umount2(path().c_str(), MNT_DETACH);
}

void SmallDisk::Leave(int64_t bytes) {
  // Other processes write at the same time. The kernel refuses a size below what is used by then.
  for (int tries = 0; tries < 100; ++tries) {
    const struct statvfs info = Ask(path());
    const int64_t used = static_cast<int64_t>((info.f_blocks - info.f_bfree) * info.f_frsize);
    if (MountWithSize(path(), used + bytes, MS_REMOUNT)) return;
  }
  DL_CHECK(false);
}

void SmallDisk::MakeRoom() { DL_CHECK(MountWithSize(path(), bytes_, MS_REMOUNT)); }

void FlipBit(const std::string& file, int64_t byte, int bit) {
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekg(byte);
  const int old = stream.get();
  DL_CHECK(stream.good());
  stream.seekp(byte);
  stream.put(static_cast<char>(old ^ (1 << bit)));
  stream.close();
  DL_CHECK(stream.good());
}

}  // namespace dl::test
