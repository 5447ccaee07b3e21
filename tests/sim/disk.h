// What survives the master's process: its metadata, and checkpoints in memory that can be damaged
// or refuse to be written.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "storage/memory_meta_store.h"
#include "tests/sim/sim_job.h"

namespace dl::sim {

struct Disk {
  struct StoredCheckpoint {
    State state;
    bool damaged = false;
  };
  storage::MemoryMetaStore meta;
  std::map<std::string, StoredCheckpoint> checkpoints;  // by manifest
  uint64_t next_nonce = 1;
  double checkpoint_failure = 0;  // probability that a write ends with "no space"
};

}  // namespace dl::sim
