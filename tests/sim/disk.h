// What survives the master's process: its metadata, and checkpoints in memory that can be damaged
// or refuse to be written.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "master/core/keys.h"
#include "storage/memory_meta_store.h"
#include "tests/sim/sim_job.h"

namespace dl::sim {

struct Disk {
  struct StoredCheckpoint {
    State state;
    bool damaged = false;
  };
  storage::MemoryMetaStore meta;
  // Specs of all jobs that were ever durable, by id. Peers that fetched a spec keep it after its job
  // is deleted.
  std::map<std::string, std::string> specs;
  std::map<std::string, StoredCheckpoint> checkpoints;  // by manifest
  uint64_t next_nonce = 1;
  double checkpoint_failure = 0;  // probability that a write ends with "no space"

  void NoteSpecs(const storage::MetaBatch& batch) {
    for (const storage::MetaBatch::Change& change : batch.changes()) {
      if (change.value && change.key.starts_with(master::keys::kSpecPrefix))
        specs[change.key.substr(change.key.find('/') + 1)] = *change.value;
    }
  }
};

}  // namespace dl::sim
