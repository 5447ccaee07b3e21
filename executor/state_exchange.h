// Moves states between an executor and its master. ChunkedExchange sends verified chunks over the
// service and caches what it fetched. If both are in one process, SharedMemoryExchange
// (launch/clusters/shared_memory_exchange.h) passes a pointer to the vector instead.
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

  // Returns a part of the job's current state, verified if it was transferred. Calls may wait for
  // each other. Adds the bytes of this part that are transferred, and of parts that are fetched
  // while the call waits, to `moved`. Returns the errors of FetchPart (transfer.h), for example if
  // the job has advanced meanwhile, and of a lack of memory (fault: executor). An error without a
  // fault (executor/fault.h) is the master's.
  virtual StatusOr<SharedPart> Fetch(uint64_t session, const PartName& part,
                                     const SegmentTable& table, const ByteCount& moved) = 0;
  // Sends the result of an accepted announcement. `state` must never change afterwards. Adds the
  // bytes that are transferred and acknowledged to `moved`. Returns the errors of
  // SendContributionBytes (transfer.h).
  virtual StatusOr<rpc::ContributionReply> Contribute(uint64_t session, const UnitId& unit,
                                                      uint64_t hash, const SharedPart& state,
                                                      MovedBytes& moved) = 0;
  // Held returns the names of cached parts, which a restarted master may ask for. Offer sends a
  // part of this list. It returns OK if the part is not cached any more, and the errors of SendPart
  // (transfer.h).
  virtual std::vector<std::string> Held() const = 0;
  virtual Status Offer(uint64_t session, const std::string& job, const std::string& sha256) = 0;
};

class ChunkedExchange final : public StateExchange {
 public:
  // `master` must outlive the exchange. `cache_bytes`: bound of the cached parts. `chunk_bytes`:
  // chunk size of contributions.
  ChunkedExchange(rpc::ExecutorService& master, int64_t cache_bytes,
                  int64_t chunk_bytes = limits::kChunkBytes)
      : master_(master), chunk_bytes_(chunk_bytes), parts_(cache_bytes) {}

  StatusOr<SharedPart> Fetch(uint64_t session, const PartName& part, const SegmentTable& table,
                             const ByteCount& moved) override;
  StatusOr<rpc::ContributionReply> Contribute(uint64_t session, const UnitId& unit, uint64_t hash,
                                              const SharedPart& state, MovedBytes& moved) override;
  std::vector<std::string> Held() const override { return parts_.Names(); }
  Status Offer(uint64_t session, const std::string& job, const std::string& sha256) override;
  // Returns how many pieces were fetched again because they were wrong.
  int64_t pieces_again() const { return pieces_again_; }

 private:
  rpc::ExecutorService& master_;
  const int64_t chunk_bytes_;
  PartCache parts_;
  FloatBufferPool pool_;
  // Held while a part is fetched, because slots that begin a round together want the same part.
  Mutex fetching_;
  MovedBytes arrived_;
  std::atomic<int64_t> pieces_again_{0};
};

}  // namespace dl::executor
