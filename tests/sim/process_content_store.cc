#include "tests/sim/process_content_store.h"

#include "base/checksum.h"
#include "tests/sim/virtual_thread.h"

namespace dl::sim {

Status ProcessContentStore::Await() {
  RandomStream& random = *options_.random;
  const uint64_t longest_us = random.Bounded(20) == 0 ? 300'000 : 3'000;
  VirtualThread& thread = VirtualThread::Current();
  thread.Sleep(std::chrono::microseconds(random.Bounded(longest_us)));
  if (thread.process().ended()) return Unavailable({.message = "the process was killed"});
  return absl::OkStatus();
}

Status ProcessContentStore::Put(std::span<const storage::Blob> blobs) {
  for (const storage::Blob& blob : blobs) {
    if (Sha256Hex(blob.bytes) != blob.sha256)
      return InvalidArgument({.message = "the content does not hash to its name"});
  }
  MutexLock lock(writing_);
  DL_RETURN_IF_ERROR(Await());
  DL_RETURN_IF_ERROR(options_.disk->CheckSpace());
  for (const storage::Blob& blob : blobs) {
    const auto* bytes = reinterpret_cast<const char*>(blob.bytes.data());
    options_.disk->blocks.insert_or_assign(blob.sha256, std::string(bytes, blob.bytes.size()));
  }
  return Await();
}

StatusOr<std::vector<std::string>> ProcessContentStore::Missing(
    std::span<const std::string> names) {
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    if (!options_.disk->blocks.contains(name)) missing.push_back(name);
  }
  return missing;
}

Status ProcessContentStore::Delete(std::span<const std::string> names) {
  MutexLock lock(writing_);
  DL_RETURN_IF_ERROR(Await());
  DL_RETURN_IF_ERROR(options_.disk->CheckSpace());
  for (const std::string& name : names) {
    if (options_.disk->blocks.erase(name) > 0) options_.rules->Deleted(name);
  }
  return Await();
}

}  // namespace dl::sim
