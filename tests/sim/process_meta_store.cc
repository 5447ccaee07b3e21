#include "tests/sim/process_meta_store.h"

#include <cerrno>

#include "base/system_error.h"
#include "tests/sim/virtual_thread.h"

namespace dl::sim {

Status ProcessMetaStore::Await() {
  DL_RETURN_IF_ERROR(dead_);
  if (VirtualThread::Running() == nullptr) return absl::OkStatus();  // the process starts
  VirtualThread& thread = VirtualThread::Current();
  RandomStream& random = *options_.random;
  // Some reads take long, because the disk is busy.
  const uint64_t longest_us = random.Bounded(50) == 0 ? 20'000 : 400;
  thread.Sleep(std::chrono::microseconds(random.Bounded(longest_us)));
  if (thread.process().ended()) return Unavailable({.message = "the process was killed"});
  DL_RETURN_IF_ERROR(dead_);
  const double shortage = options_.disk->shortage;
  if (shortage > 0 && random.NextDouble() < shortage)
    return SystemError(EMFILE, "open a file of the store", "meta");
  return absl::OkStatus();
}

StatusOr<std::optional<std::string>> ProcessMetaStore::Get(std::string_view key) {
  DL_RETURN_IF_ERROR(Await());
  return Meta().Get(key);
}

Status ProcessMetaStore::Scan(std::string_view prefix, const Visitor& visit) {
  DL_RETURN_IF_ERROR(Await());
  return Meta().Scan(prefix, visit);
}

Duration ProcessMetaStore::TimeOfWrite() {
  RandomStream& random = *options_.random;
  uint64_t longest_us = random.NextDouble() < options_.slow_write ? 1'500'000 : 3'000;
  // Longer than any time limit.
  if (longest_us > 3'000 && random.Bounded(20) == 0) longest_us *= 10;
  return std::chrono::microseconds(random.Bounded(longest_us));
}

Status ProcessMetaStore::Write(const storage::MetaBatch& batch) {
  if (batch.empty()) return absl::OkStatus();
  VirtualThread& thread = VirtualThread::Current();
  if (!thread.process().ended()) thread.Sleep(TimeOfWrite());
  if (thread.process().ended()) return Unavailable({.message = "the process was killed"});
  DL_RETURN_IF_ERROR(dead_);
  if (options_.random->NextDouble() < options_.death_at_write) {
    // The write fails before the batch is on the disk, after it but before the writer knows, or for
    // lack of space.
    using Failure = storage::MemoryMetaStore::Failure;
    Meta().FailWrite(1, static_cast<Failure>(options_.random->Bounded(3)));
  }
  options_.before_write(batch);
  const uint64_t before = Meta().index();
  const Status written = Meta().Write(batch);
  const bool durable = written.ok() || Meta().index() != before;
  if (!written.ok() && !absl::IsResourceExhausted(written)) {
    dead_ = written;
    Meta().Crash();  // what was not durable is lost
  }
  if (durable) options_.durable(batch);
  return written;
}

}  // namespace dl::sim
