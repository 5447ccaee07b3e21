// The master's disk: metadata and checkpoints in memory. Both survive the master's process. Writes
// can fail, and checkpoints can be damaged.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/philox.h"
#include "master/core/record_keys.h"
#include "security/token_store.h"
#include "storage/checkpoint_store.h"
#include "storage/memory_bulk_store.h"
#include "storage/memory_meta_store.h"
#include "tests/sim/sim_job.h"

namespace dl::sim {

struct Disk {
  explicit Disk(uint64_t seed);
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  storage::MemoryMetaStore meta;
  // Specs of all jobs that were ever durable, and the jobs that they describe, by id. Peers that
  // fetched a spec keep it after the job is deleted.
  std::map<std::string, std::string> specs;
  std::map<std::string, SimJob> jobs;
  std::map<std::string, std::string> blocks;  // contents, by their SHA-256
  storage::MemoryBulkStore bulk;
  storage::CheckpointStore checkpoints{bulk};
  std::unique_ptr<security::TokenStore> tokens;  // in memory
  double checkpoint_failure = 0;  // probability that a write of content fails with "no space"
  double shortage = 0;  // probability that a read of metadata fails for lack of open files
  std::set<std::string> damaged;  // "JOB@ROUND"

  void RecordSpecs(const storage::MetaBatch& batch) {
    for (const storage::MetaBatch::Change& change : batch.changes()) {
      if (!change.value || !change.key.starts_with(master::keys::kSpecPrefix)) continue;
      const std::string id = change.key.substr(change.key.find('/') + 1);
      specs[id] = *change.value;
      jobs[id] = JobFromSpec(*change.value);
    }
  }

  // Returns ResourceExhausted with the probability `checkpoint_failure`.
  Status CheckSpace();
  // Creates a token and returns its identity.
  security::Identity Introduce(const security::TokenStore::NewToken& wanted);

  // Returns the "JOB@ROUND" of the checkpoint in the table file with this smallest key.
  static std::string CheckpointOf(const std::string& smallest_key);

 private:
  RandomStream random_;
};

}  // namespace dl::sim
