// A master of one small job, as an executor sees it. It leases the units that a test chooses,
// serves the job's first state, records every request, and fails where a test wants it to.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/part_name.h"
#include "rpc/service.h"
#include "tests/unit/executor/memory_job.h"

namespace dl::executor {

inline constexpr Duration kTimeout = std::chrono::minutes(10);

// Thread-safe. The hooks must be set before an executor starts. Each hook is called without a lock
// held.
class ScriptedMaster final : public rpc::ExecutorService {
 public:
  static constexpr char kContract[] = "the contract";

  // `first_weight` replaces the first of the job's initial values.
  explicit ScriptedMaster(std::optional<float> first_weight = std::nullopt);

  // The call returns the hook's error. If the hook returns OK, the call proceeds as usual.
  std::function<Status(const rpc::FetchJobRequest&)> on_fetch_job;
  std::function<Status(const rpc::FetchRequest&, rpc::Chunk&)> on_fetch_part, on_fetch_block;
  std::function<Status(const rpc::ContributionChunk&)> on_contribute;
  // Number of bytes of a contribution that arrived before, and greatest number that the master
  // accepts.
  int64_t received_before = 0, received_at_most = INT64_MAX;
  std::function<void(const rpc::HeartbeatRequest&, rpc::HeartbeatReply&)> on_heartbeat;

  // Leases unit `index` of the job's only round to the next free slot. The unit starts from the
  // job's first state.
  void LeaseOut(uint64_t lease, int32_t index = 0, const std::string& contract = kContract);
  rpc::Lease MakeLease(uint64_t lease, int32_t index = 0) const;
  int64_t state_bytes() const { return static_cast<int64_t>(state_.size()); }

  struct Heard {
    std::vector<rpc::RegisterRequest> registered;
    std::vector<rpc::HeartbeatRequest> heartbeats;
    std::vector<rpc::LeaseRequest> lease_requests;
    std::vector<rpc::AnnounceRequest> announced;
    std::vector<UnitId> contributed;  // units whose bytes have all arrived
    std::vector<rpc::FailureReport> failures;
    int goodbyes = 0;
  };
  Heard heard() const {
    MutexLock lock(mutex_);
    return heard_;
  }
  // Returns false if the condition does not hold within kTimeout, which only a broken machine
  // exceeds.
  bool WaitUntil(const std::function<bool(const Heard&)>& holds) const;
  // Must be called by a hook that changes what a test waits for.
  void NotifyAll() const {
    MutexLock lock(mutex_);
    changed_.NotifyAll();
  }

  StatusOr<rpc::RegisterReply> Register(const rpc::RegisterRequest&, Duration) override;
  StatusOr<rpc::HeartbeatReply> Heartbeat(const rpc::HeartbeatRequest&, Duration) override;
  Status Goodbye(const rpc::GoodbyeRequest&, Duration) override;
  StatusOr<rpc::LeaseReply> LeaseUnits(const rpc::LeaseRequest&, Duration) override;
  StatusOr<rpc::AnnounceReply> Announce(const rpc::AnnounceRequest&, Duration) override;
  Status ReportFailure(const rpc::FailureReport&, Duration) override;
  StatusOr<rpc::FetchJobReply> FetchJob(const rpc::FetchJobRequest&, Duration) override;
  StatusOr<rpc::Chunk> FetchPart(const rpc::FetchRequest&, Duration) override;
  StatusOr<rpc::Chunk> FetchBlock(const rpc::FetchRequest&, Duration) override;
  StatusOr<rpc::ContributionReply> Contribute(const rpc::ContributionChunk&, Duration) override;
  Status OfferPart(const rpc::OfferChunk&, Duration) override { return absl::OkStatus(); }
  void ConnectionLost(uint64_t) override {}
  std::optional<rpc::SessionHolder> FindSession(uint64_t session) const override {
    MutexLock lock(mutex_);
    const auto found = holders_.find(session);
    return found == holders_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  MemoryBlocks blocks_;
  const MemoryJob job_;
  std::string spec_sha256_, state_sha256_, state_;  // of round 0; state_ holds its bytes
  PartHashes model_;

  mutable Mutex mutex_;
  mutable CondVar changed_;
  uint64_t sessions_ DL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, rpc::SessionHolder> holders_ DL_GUARDED_BY(mutex_);
  std::deque<rpc::Lease> leases_ DL_GUARDED_BY(mutex_);
  Heard heard_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::executor
