// Uploads dataset blocks to a master. Gathers blocks and sends those that the master lacks, many in
// one call.
#pragma once

#include <functional>
#include <string>

#include "dataset/block_source.h"
#include "rpc/messages.h"
#include "rpc/service.h"

namespace dl::launch {

// Not thread-safe. Holds up to limits::kUploadBytes in memory, or one larger block. Errors are
// those of the master and of `go_on`.
class BlockUpload final : public dataset::BlockSink {
 public:
  // `go_on` is called before each call to the master; an error of it ends the upload. Must not be
  // empty. `client` must outlive this object.
  BlockUpload(rpc::ClientService& client, std::function<Status()> go_on)
      : client_(client), go_on_(std::move(go_on)) {}

  Status Put(const std::string& sha256, std::span<const std::byte> bytes) override;
  // Sends the remaining blocks. After it returns OK, all blocks that were put are on the master.
  // Must be called last.
  Status Flush();

 private:
  // Removes the blocks that the master has from the waiting request.
  Status KeepMissing();

  rpc::ClientService& client_;
  std::function<Status()> go_on_;
  rpc::PutBlocksRequest waiting_;
};

}  // namespace dl::launch
