// Dataset blocks as a client gets them: from the master, each checked chunk by chunk.
#pragma once

#include <memory>
#include <string>

#include "dataset/block_source.h"
#include "rpc/service.h"

namespace dl::launch {

// Thread-safe. `client` outlives it.
class ClientBlocks final : public dataset::BlockSource {
 public:
  explicit ClientBlocks(rpc::ClientService& client) : client_(client) {}

  StatusOr<std::shared_ptr<const dataset::Bytes>> Get(const std::string& sha256) override;

 private:
  rpc::ClientService& client_;
};

}  // namespace dl::launch
