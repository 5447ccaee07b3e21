// Fetches the parts of a checkpoint in chunks, and protects the checkpoint from deletion meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "rpc/service.h"

namespace dl::inference {

// The master does not delete the checkpoint until End() is called or this object is destroyed, but
// at most for a minute after each chunk. Thread-safe.
class CheckpointReading {
 public:
  // `checkpoint` is "JOB@ROUND". `client` must outlive this object.
  CheckpointReading(rpc::ClientService& client, std::string checkpoint);
  ~CheckpointReading() { End(); }
  CheckpointReading(const CheckpointReading&) = delete;
  CheckpointReading& operator=(const CheckpointReading&) = delete;

  const std::string& checkpoint() const { return checkpoint_; }
  // Returns a chunk of the part with this key: at most `length` bytes from `offset` on, not
  // verified. Returns the errors of rpc::ClientService.
  StatusOr<rpc::Chunk> Fetch(const std::string& key, int64_t offset, int64_t length);
  // Reports to the master that the checkpoint was read, if anything was fetched since the last
  // call. Waits for at most two seconds, and ignores errors: the protection then ends by time. A
  // later Fetch() begins another protection.
  void End();

 private:
  rpc::ClientService& client_;
  const std::string checkpoint_;
  const uint64_t number_;  // 0 if the system provides no random number
  std::atomic<bool> has_fetched_ = false;
};

}  // namespace dl::inference
