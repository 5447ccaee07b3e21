#include "executor/held_results.h"

#include "absl/strings/str_cat.h"
#include "base/fail_point.h"

namespace dl::executor {
namespace {

constexpr SpillFile::Purpose kResultSpill = {
    .what = "results that memory may not hold",
    .remedy =
        "Free space there, use a --cache-dir on a larger disk, or start the executor with "
        "more --memory"};

}  // namespace

Status HeldResults::Hold(uint64_t computation, std::shared_ptr<const FloatBuffer> result) {
  const std::span<const std::byte> bytes = std::as_bytes(result->span());
  const auto size = static_cast<int64_t>(bytes.size());
  MutexLock lock(mutex_);
  if (held_.contains(computation)) return absl::OkStatus();
  Held held{.bytes = size};
  Status status;
  const bool full = memory_ + size > options_.memory_bytes || !FailPoint("executor.hold").ok();
  if (full) {
    StatusOr<int64_t> offset = Spill(bytes);
    status = offset.status();
    if (offset.ok()) held.offset = *offset;
  }
  if (!full || !status.ok()) {
    held.result = std::move(result);
    memory_ += size;
  }
  held_.emplace(computation, std::move(held));
  return status;
}

StatusOr<int64_t> HeldResults::Spill(std::span<const std::byte> bytes) {
  Shelf& shelf = shelves_[static_cast<int64_t>(bytes.size())];
  if (shelf.file == nullptr) {
    DL_ASSIGN_OR_RETURN(shelf.file, SpillFile::Create(options_.folder, kResultSpill));
  }
  const int64_t offset = shelf.free.empty() ? shelf.file->bytes() : shelf.free.back();
  DL_RETURN_IF_ERROR(shelf.file->WriteAt(offset, bytes));
  if (!shelf.free.empty()) shelf.free.pop_back();
  ++shelf.used;
  return offset;
}

StatusOr<std::shared_ptr<const FloatBuffer>> HeldResults::Get(uint64_t computation) {
  MutexLock lock(mutex_);
  const auto found = held_.find(computation);
  if (found == held_.end())
    return NotFound(
        {.message = absl::StrCat("the result of computation ", computation, " is not stored")});
  const Held& held = found->second;
  if (held.result != nullptr) return held.result;
  DL_ASSIGN_OR_RETURN(const std::shared_ptr<FloatBuffer> buffer,
                      pool_.Take(held.bytes / static_cast<int64_t>(sizeof(float))));
  DL_RETURN_IF_ERROR(
      shelves_.at(held.bytes).file->ReadAt(held.offset, std::as_writable_bytes(buffer->span())));
  return buffer;
}

void HeldResults::Drop(uint64_t computation) {
  MutexLock lock(mutex_);
  const auto found = held_.find(computation);
  if (found == held_.end()) return;
  const Held& held = found->second;
  if (held.result != nullptr) {
    memory_ -= held.bytes;
  } else {
    const auto shelf = shelves_.find(held.bytes);
    shelf->second.free.push_back(held.offset);
    if (--shelf->second.used == 0) shelves_.erase(shelf);
  }
  held_.erase(found);
}

int64_t HeldResults::memory_bytes() const {
  MutexLock lock(mutex_);
  return memory_;
}

int64_t HeldResults::disk_bytes() const {
  MutexLock lock(mutex_);
  int64_t bytes = 0;
  for (const auto& [size, shelf] : shelves_) {
    if (shelf.file != nullptr) bytes += shelf.file->bytes();
  }
  return bytes;
}

}  // namespace dl::executor
