// The blocks on the master's disk as used by one process of the master: changes take time, and fail
// if the disk is full or the process has ended.
#pragma once

#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/philox.h"
#include "storage/content_store.h"
#include "tests/sim/block_rules.h"
#include "tests/sim/disk.h"

namespace dl::sim {

// All functions are called by threads of the process.
class ProcessContentStore final : public storage::ContentStore {
 public:
  struct Options {
    Disk* disk = nullptr;
    RandomStream* random = nullptr;  // of the process
    BlockRules* rules = nullptr;
  };
  explicit ProcessContentStore(Options options) : options_(options) {}

  Status Put(std::span<const storage::Blob> blobs) override DL_EXCLUDES(writing_);
  StatusOr<std::vector<std::string>> Missing(std::span<const std::string> names) override;
  Status Delete(std::span<const std::string> names) override DL_EXCLUDES(writing_);

 private:
  // Waits for a part of the time of a change.
  Status Await();

  const Options options_;
  Mutex writing_;  // held by calls that change the store
};

}  // namespace dl::sim
