#include "storage/mark_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/checksum.h"
#include "base/fail_point.h"
#include "base/system_error.h"

namespace dl::storage {
namespace {

constexpr int kHalves = 2, kSlots = 4;  // slot s belongs to half s % kHalves
constexpr int64_t kSlotDistance = 4096;
constexpr uint64_t kMagic = 0x31304b52414d4c44;  // "DLMARK01"

using SlotWords = std::array<uint64_t, 5>;

uint64_t SlotChecksum(const SlotWords& words) {
  return Xxh3(std::as_bytes(std::span(words).first(4)));
}

}  // namespace

StatusOr<MarkReading> ReadMark(const std::string& path) {
  MarkReading reading;
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    if (errno == ENOENT) return reading;
    return SystemError(errno, "open the mark", path);
  }
  bool intact[kHalves] = {};
  for (int slot = 0; slot < kSlots; ++slot) {
    SlotWords words{};
    const ssize_t got = pread(file.get(), words.data(), sizeof(words), slot * kSlotDistance);
    if (got < 0) return SystemError(errno, "read the mark", path);
    if (got > 0) reading.exists = true;
    if (got != sizeof(words) || words[0] != kMagic || words[2] != ~words[1] ||
        words[4] != SlotChecksum(words))
      continue;
    intact[slot % kHalves] = true;
    if (!reading.index || words[1] > *reading.index) reading.index = words[1];
  }
  reading.certain = intact[0] && intact[1];
  return reading;
}

StatusOr<std::unique_ptr<MarkFile>> MarkFile::Open(const std::string& path, Options options) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file.valid()) return CreationError(errno, "open the mark", path);
  return std::unique_ptr<MarkFile>(new MarkFile(path, std::move(file), options));
}

Status MarkFile::Reset(uint64_t index) {
  DL_RETURN_IF_ERROR(WriteHalf(index, static_cast<int>(index % kHalves)));
  DL_RETURN_IF_ERROR(Sync());  // so that one half is intact at any time
  DL_RETURN_IF_ERROR(WriteHalf(index, static_cast<int>((index + 1) % kHalves)));
  return Sync();
}

Status MarkFile::Advance(uint64_t index) {
  DL_RETURN_IF_ERROR(WriteHalf(index, static_cast<int>(index % kHalves)));
  return Sync();
}

Status MarkFile::WriteHalf(uint64_t index, int half) {
  SlotWords words{kMagic, index, ~index, 0, 0};
  words[4] = SlotChecksum(words);
  for (int slot = half; slot < kSlots; slot += kHalves) {
    Pending pending{slot * kSlotDistance, std::string(sizeof(words), '\0')};
    std::memcpy(pending.bytes.data(), words.data(), sizeof(words));
    if (!options_.drop_unsynced_on_kill) {
      DL_RETURN_IF_ERROR(PwriteAll(pending));
    } else {
      unsynced_.push_back(std::move(pending));
    }
  }
  return absl::OkStatus();
}

Status MarkFile::PwriteAll(const Pending& slot) {
  DL_RETURN_IF_ERROR(FailPoint("store.write"));
  const ssize_t wrote = pwrite(file_.get(), slot.bytes.data(), slot.bytes.size(), slot.offset);
  if (wrote < 0) return SystemError(errno, "write the mark", path_);
  if (wrote != static_cast<ssize_t>(slot.bytes.size()))
    return SystemError(ENOSPC, "write the mark", path_);
  return absl::OkStatus();
}

Status MarkFile::Sync() {
  for (const Pending& slot : unsynced_) DL_RETURN_IF_ERROR(PwriteAll(slot));
  unsynced_.clear();
  DL_RETURN_IF_ERROR(FailPoint("store.sync"));
  if (fdatasync(file_.get()) != 0) return SystemError(errno, "sync the mark", path_);
  return absl::OkStatus();
}

}  // namespace dl::storage
