// A small training job in memory: its documents as a master would answer them, and its blocks.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "dataset/block_cache.h"
#include "dataset/block_source.h"
#include "job/job_spec.h"
#include "rpc/messages.h"

namespace dl::executor {

class MemoryBlocks final : public dataset::BlockSource, public dataset::BlockSink {
 public:
  Status Put(const std::string& sha256, std::span<const std::byte> bytes) override {
    blocks_[sha256] = std::make_shared<const dataset::Bytes>(bytes.begin(), bytes.end());
    return absl::OkStatus();
  }
  StatusOr<std::shared_ptr<const dataset::Bytes>> Get(const std::string& sha256) override {
    return blocks_.at(sha256);
  }

 private:
  std::map<std::string, std::shared_ptr<const dataset::Bytes>> blocks_;
};

struct MemoryJob {
  std::shared_ptr<dataset::DecodedBlockCache> blocks;  // of the process: shared by all jobs
  job::JobSpec spec;
  rpc::FetchJobReply Documents() const;

  std::string train_manifest;
};
// 64 examples, one worker, one round of 16 steps. `source` outlives it.
MemoryJob MakeMemoryJob(MemoryBlocks& source, double learning_rate);

}  // namespace dl::executor
