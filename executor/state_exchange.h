// How states move between an executor and its master: in chunks over the service, verified as they
// arrive, with a cache of what was fetched; or, where both live in one process, by sharing the very
// vector.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/float_buffer_pool.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "base/segment_table.h"
#include "base/status.h"
#include "executor/moved_bytes.h"
#include "executor/part_cache.h"
#include "rpc/messages_fwd.h"
#include "rpc/service.h"

namespace dl::executor {

// Thread-safe.
class StateExchange {
 public:
  virtual ~StateExchange() = default;

  // A part of the job's current state, verified. Errors are blamed (executor/fault.h): the job may
  // have gone on without who asks, and what came may not be what its name says. What arrives for
  // it, or ahead of it, is added to `moved`.
  virtual StatusOr<SharedPart> Fetch(uint64_t session, const PartName& part,
                                     const SegmentTable& table, const ByteCount& moved) = 0;
  // Hands over what an accepted announcement announced; `state` never changes afterwards. What the
  // master has acknowledged is added to `moved`.
  virtual StatusOr<rpc::ContributionReply> Contribute(uint64_t session, const UnitId& unit,
                                                      uint64_t hash, const SharedPart& state,
                                                      MovedBytes& moved) = 0;
  // Parts that a master which lost its memory may ask back, and sending one of them.
  virtual std::vector<std::string> Held() const = 0;
  virtual Status Offer(uint64_t session, const std::string& job, const std::string& sha256) = 0;
};

class ChunkedExchange final : public StateExchange {
 public:
  // `chunk_bytes` is the size of the chunks of contributions.
  ChunkedExchange(rpc::ExecutorService& master, int64_t cache_bytes,
                  int64_t chunk_bytes = limits::kChunkBytes)
      : master_(master), chunk_bytes_(chunk_bytes), parts_(cache_bytes) {}

  StatusOr<SharedPart> Fetch(uint64_t session, const PartName& part, const SegmentTable& table,
                             const ByteCount& moved) override;
  StatusOr<rpc::ContributionReply> Contribute(uint64_t session, const UnitId& unit, uint64_t hash,
                                              const SharedPart& state, MovedBytes& moved) override;
  std::vector<std::string> Held() const override { return parts_.Names(); }
  Status Offer(uint64_t session, const std::string& job, const std::string& sha256) override;
  // How often a piece was asked for again because it was wrong.
  int64_t pieces_again() const { return pieces_again_; }

 private:
  rpc::ExecutorService& master_;
  const int64_t chunk_bytes_;
  PartCache parts_;
  FloatBufferPool pool_;
  Mutex fetching_;  // one fetch at a time: slots that begin a round together want the same part
  MovedBytes arrived_;
  std::atomic<int64_t> pieces_again_{0};
};

}  // namespace dl::executor
