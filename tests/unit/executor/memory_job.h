// A small training job in memory: the documents that a master would send, and the blocks of its
// dataset.
#pragma once

#include <memory>
#include <string>

#include "dataset/decoded_block_cache.h"
#include "job/job_spec.h"
#include "rpc/messages.h"
#include "tests/support/memory_blocks.h"

namespace dl::executor {

using test::MemoryBlocks;

struct MemoryJob {
  std::shared_ptr<dataset::DecodedBlockCache> blocks;  // the cache of the process, which all jobs
                                                       // share
  job::JobSpec spec;
  rpc::FetchJobReply Documents() const;

  std::string train_manifest;
};
// Creates a job of one round. Each worker does 16 steps of four examples in it. `source` must
// outlive the job.
MemoryJob MakeMemoryJob(MemoryBlocks& source, double learning_rate, int workers = 1);

}  // namespace dl::executor
