// The meta store as used by one process of the master: reads and writes take time, reads may lack
// open files, and writes may fail. Both fail after the process has ended.
#pragma once

#include <functional>

#include "base/philox.h"
#include "storage/meta_store.h"
#include "tests/sim/disk.h"

namespace dl::sim {

class ProcessMetaStore final : public storage::MetaStore {
 public:
  struct Options {
    Disk* disk = nullptr;
    RandomStream* random = nullptr;  // of the process
    // Probability that a write fails in one of three ways: before the batch is durable, after it,
    // or for lack of space. After the first two, all later reads and writes fail too.
    double death_at_write = 0;
    // Probability that a write is slow. It then takes up to 1.5 s, sometimes up to 15 s, instead of
    // up to 3 ms.
    double slow_write = 0;
    // Called before each write, and after each write that is durable.
    std::function<void(const storage::MetaBatch&)> before_write;
    std::function<void(const storage::MetaBatch&)> durable;
  };
  explicit ProcessMetaStore(Options options) : options_(std::move(options)) {}

  // The following are called by threads of the process.
  Status Write(const storage::MetaBatch& batch) override;
  StatusOr<std::optional<std::string>> Get(std::string_view key) override;
  Status Scan(std::string_view prefix, const Visitor& visit) override;

  Status Reclaim(std::string_view prefix) override { return Meta().Reclaim(prefix); }
  uint64_t index() const override { return Meta().index(); }

 private:
  storage::MemoryMetaStore& Meta() const { return options_.disk->meta; }
  Duration TimeOfWrite();
  // Waits for the time of a read. Returns an error if the read fails.
  Status Await();

  const Options options_;
  Status dead_;  // error of the write after which the store does nothing more
};

}  // namespace dl::sim
