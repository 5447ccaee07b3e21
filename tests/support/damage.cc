#include "tests/support/damage.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/process.h"
#include "base/status.h"

namespace dl::test {
namespace {

constexpr int64_t kImageBytes = int64_t{512} << 20;  // above the free space that a cache leaves

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

FreezableDisk::FreezableDisk() : refused_(Mount()) {}

std::string FreezableDisk::Mount() {
  const auto failed = [](const std::string& what) {
    return "this process may not " + what + ": " + std::strerror(errno);
  };
  errno = no_own_mounts;
  if (errno != 0) return failed("have mounts of its own");
  const std::string image = image_ / "disk";
  FileDescriptor file(open(image.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid() || ftruncate(file.get(), kImageBytes) != 0) return failed("write " + image);
  auto made = Spawner::Real().Start({.argv = {"mkfs.ext4", "-q", "-F", image}});
  if (!made.ok()) return std::string(made.status().message());
  const auto ended = (*made)->Wait(std::chrono::minutes(1));
  if (!ended.ok() || *ended != ExitStatus()) return "mkfs.ext4 failed";

  const FileDescriptor control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  const int number = control.valid() ? ioctl(control.get(), LOOP_CTL_GET_FREE) : -1;
  if (number < 0) return failed("get a loop device");
  const std::string device = "/dev/loop" + std::to_string(number);
  const FileDescriptor loop(open(device.c_str(), O_RDWR | O_CLOEXEC));
  struct loop_config config = {};
  config.fd = static_cast<uint32_t>(file.get());
  config.info.lo_flags = LO_FLAGS_AUTOCLEAR;  // freed with its last user
  if (!loop.valid() || ioctl(loop.get(), LOOP_CONFIGURE, &config) != 0)
    return failed("use " + device);
  if (mount(device.c_str(), path().c_str(), "ext4", 0, nullptr) != 0)
    return failed("mount " + device);
  mounted_ = FileDescriptor(open(path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // If this process is killed, processes that wait for the disk would never end.
  const auto guard =
      Spawner::Real().Start({.argv = {"sh", "-c", "tail --pid=$0 -f /dev/null; fsfreeze -u $1",
                                      std::to_string(getpid()), path()},
                             .out = ChildOutput::Discard(),
                             .err = ChildOutput::Discard(),
                             .outlives_parent = true});
  return guard.ok() ? "" : std::string(guard.status().message());
}

FreezableDisk::~FreezableDisk() {
  if (!mounted_.valid()) return;
  Thaw();
  mounted_.Close();
  umount2(path().c_str(), MNT_DETACH);
}

void FreezableDisk::Freeze() { DL_CHECK(ioctl(mounted_.get(), FIFREEZE, 0) == 0); }
void FreezableDisk::Thaw() { (void)ioctl(mounted_.get(), FITHAW, 0); }

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
