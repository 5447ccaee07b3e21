// Drives an executor's core by hand: a test sends events and checks the effects.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executor/core/executor_core.h"
#include "gtest/gtest.h"

namespace dl::executor {

class ExecutorCore : public testing::Test {
 protected:
  ExecutorCore() { SetUpCore(); }
  void SetUpCore(CoreOptions options = {.name = "e1", .slots = 2}) {
    core_.emplace(std::move(options), now_);
    Do(Tick{});
  }

  void Do(const Event& event) { effects_ = core_->Step(event, now_); }
  void Wait(Duration time) {
    now_ = now_ + time;
    Do(Tick{});
  }
  template <typename T>
  std::vector<T> Effects() const {
    std::vector<T> found;
    for (const Effect& effect : effects_) {
      if (const T* one = std::get_if<T>(&effect)) found.push_back(*one);
    }
    return found;
  }
  void Register(uint64_t session) {
    Do(RegisterAnswered{rpc::RegisterReply{.session = session, .term = 1, .heartbeat_ms = 500}});
  }
  void LoseSession() { Do(HeartbeatAnswered{core_->session(), Aborted({.message = "over"})}); }
  rpc::Lease MakeLease(uint64_t id, int32_t index = 0, const std::string& base = "base") {
    return {.unit = {"job", UnitKind::kTrain, 1, index}, .lease = id, .base_sha256 = base};
  }
  void Lease(const rpc::Lease& lease) {
    Do(LeaseAnswered{core_->session(), rpc::LeaseReply{{lease}}});
  }
  void Compute(const rpc::Lease& lease) {
    Do(UnitFinished{lease.lease,
                    lease.unit,
                    {{.unit = lease.unit, .base_sha256 = lease.base_sha256, .hash = 7}}});
  }
  void Deliver(const rpc::Lease& lease) {
    Compute(lease);
    Do(AnnounceAnswered{core_->session(), lease.lease, lease.unit,
                        rpc::AnnounceReply{rpc::Verdict::kSend}});
    Do(ContributionSent{core_->session(), lease.lease, lease.unit,
                        rpc::ContributionReply{rpc::Receipt::kComplete}});
  }
  void Heartbeat(rpc::HeartbeatReply reply) {
    Do(HeartbeatAnswered{core_->session(), std::move(reply)});
  }

  Instant now_{1'000'000'000};
  std::vector<Effect> effects_;
  std::optional<Core> core_;
};

}  // namespace dl::executor
