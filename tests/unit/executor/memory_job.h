// A small training job in memory: its documents as a master would answer them, and its blocks.
#pragma once

#include <memory>
#include <string>

#include "dataset/block_cache.h"
#include "job/job_spec.h"
#include "rpc/messages.h"
#include "tests/support/memory_blocks.h"

namespace dl::executor {

using test::MemoryBlocks;

struct MemoryJob {
  std::shared_ptr<dataset::DecodedBlockCache> blocks;  // of the process: shared by all jobs
  job::JobSpec spec;
  rpc::FetchJobReply Documents() const;

  std::string train_manifest;
};
// One round, of which each worker takes 16 steps of four examples. `source` outlives it.
MemoryJob MakeMemoryJob(MemoryBlocks& source, double learning_rate, int workers = 1);

}  // namespace dl::executor
