#include "tests/sim/process_meta_store.h"

#include "tests/sim/virtual_thread.h"

namespace dl::sim {

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
  if (!written.ok()) Meta().Crash();  // the process ends here, and what was not durable is lost
  if (durable) options_.durable(batch);
  return written;
}

}  // namespace dl::sim
