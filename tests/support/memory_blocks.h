// Keeps the blocks of a dataset in memory.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "dataset/block_source.h"

namespace dl::test {

// Not thread-safe. Get throws if the block was never put.
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

}  // namespace dl::test
