// Dataset blocks on their way to a master: gathered, and those that it lacks sent, many in a call.
#pragma once

#include <functional>
#include <string>

#include "dataset/block_source.h"
#include "rpc/messages.h"
#include "rpc/service.h"

namespace dl::launch {

// Not thread-safe. Keeps up to limits::kUploadBytes, or one larger block.
class BlockUpload final : public dataset::BlockSink {
 public:
  // `go_on` is asked before each call; its error ends the upload. `client` outlives it.
  BlockUpload(rpc::ClientService& client, std::function<Status()> go_on)
      : client_(client), go_on_(std::move(go_on)) {}

  Status Put(const std::string& sha256, std::span<const std::byte> bytes) override;
  // Sends what is left. After that everything that was put is on the master.
  Status Flush();

 private:
  // Drops from what waits those blocks that the master has.
  Status KeepMissing();

  rpc::ClientService& client_;
  std::function<Status()> go_on_;
  rpc::PutBlocksRequest waiting_;
};

}  // namespace dl::launch
