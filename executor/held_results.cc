#include "executor/held_results.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fail_point.h"

namespace dl::executor {
namespace {

constexpr SpillFile::Purpose kResultSpill = {
    .what = "results that memory may not hold",
    .remedy =
        "Free space there, use a --cache-dir on a larger disk, or start the executor with "
        "more --memory"};

// The code makes the core drop a result that cannot be read, so that it is computed again.
Status NoAnswer() {
  return DataLoss({.message = "the disk of results that memory may not hold does not answer",
                   .remedy = "Check that disk, or start the executor with more --memory"});
}

}  // namespace

HeldResults::HeldResults(Options options)
    : options_(std::move(options)),
      disk_({.what = "the disk of results in " +
                     (options_.folder.empty() ? std::string("TMPDIR") : options_.folder),
             .otherwise = "further results stay in memory until it answers",
             .limit = options_.disk_limit}) {}

HeldResults::~HeldResults() {
  MutexLock lock(mutex_);
  for (auto& [computation, held] : held_) Close(std::move(held.file));
  for (auto& [size, shelf] : shelves_) Close(std::move(shelf.file));
  static auto& kept = *new std::vector<std::shared_ptr<SpillFile>>;
  static auto& keeping = *new Mutex;
  MutexLock keep(keeping);
  kept.insert(kept.end(), unclosed_.begin(), unclosed_.end());
}

Status HeldResults::Hold(uint64_t computation, std::shared_ptr<const FloatBuffer> result) {
  const auto size = static_cast<int64_t>(result->span().size_bytes());
  MutexLock lock(mutex_);
  if (held_.contains(computation)) return absl::OkStatus();
  Held held{.bytes = size};
  Status status;
  const bool full = memory_ + size > options_.memory_bytes || !FailPoint("executor.hold").ok();
  if (full) status = Spill(result, held);
  if (!full || !status.ok()) {
    held.result = std::move(result);
    memory_ += size;
  }
  held_.emplace(computation, std::move(held));
  return status;
}

Status HeldResults::Spill(const std::shared_ptr<const FloatBuffer>& result, Held& held) {
  Shelf& shelf = shelves_[held.bytes];
  if (shelf.file == nullptr) {
    auto created = disk_.Run([folder = options_.folder]() -> StatusOr<std::shared_ptr<SpillFile>> {
      return SpillFile::Create(folder, kResultSpill);
    });
    if (!created) return NoAnswer();
    DL_ASSIGN_OR_RETURN(shelf.file, *std::move(created));
  }
  const int64_t offset = shelf.free.empty() ? shelf.file->bytes() : shelf.free.back();
  const std::optional<Status> written = disk_.Run([file = shelf.file, offset, result] {
    return file->WriteAt(offset, std::as_bytes(result->span()));
  });
  if (!written) {
    // The write may still change the file, so only results that are there use it from now on.
    shelves_.erase(held.bytes);
    return NoAnswer();
  }
  DL_RETURN_IF_ERROR(*written);
  if (!shelf.free.empty()) shelf.free.pop_back();
  ++shelf.used;
  held.offset = offset;
  held.file = shelf.file;
  return absl::OkStatus();
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
  const std::optional<Status> read = disk_.Run([file = held.file, offset = held.offset, buffer] {
    return file->ReadAt(offset, std::as_writable_bytes(buffer->span()));
  });
  if (!read) return NoAnswer();
  DL_RETURN_IF_ERROR(*read);
  return buffer;
}

void HeldResults::Drop(uint64_t computation) {
  MutexLock lock(mutex_);
  const auto found = held_.find(computation);
  if (found == held_.end()) return;
  Held& held = found->second;
  if (held.result != nullptr) {
    memory_ -= held.bytes;
  } else {
    const auto shelf = shelves_.find(held.bytes);
    const bool is_current = shelf != shelves_.end() && shelf->second.file == held.file;
    if (is_current) {
      shelf->second.free.push_back(held.offset);
      if (--shelf->second.used == 0) shelves_.erase(shelf);
    }
    Close(std::move(held.file));
  }
  held_.erase(found);
}

void HeldResults::Close(std::shared_ptr<SpillFile> file) {
  if (file == nullptr || file.use_count() > 1) return;  // does not close it
  unclosed_.push_back(std::move(file));
  if (disk_.hangs()) return;
  const auto files = std::make_shared<decltype(unclosed_)>(std::exchange(unclosed_, {}));
  (void)disk_.Run([files] {
    files->clear();  // closing a file frees its space, for which its disk is needed
    return true;
  });
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
