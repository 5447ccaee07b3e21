// A source of dataset blocks that fetches them from the master. The caller verifies the blocks, as
// dataset::BlockSource requires.
#pragma once

#include <memory>
#include <string>

#include "dataset/block_source.h"
#include "rpc/service.h"

namespace dl::inference {

// Thread-safe. `client` must outlive this object.
class ClientBlocks final : public dataset::BlockSource {
 public:
  explicit ClientBlocks(rpc::ClientService& client) : client_(client) {}

  // Waits for each chunk at most limits::kBulkDeadline. Returns the errors of FetchBlock.
  StatusOr<std::shared_ptr<const dataset::Bytes>> Get(const std::string& sha256) override;

 private:
  rpc::ClientService& client_;
};

}  // namespace dl::inference
