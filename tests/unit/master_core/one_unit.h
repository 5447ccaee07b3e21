// A job whose rounds have one unit, and executors that compute it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {

inline JobDefinition OneWorker() {
  JobDefinition definition = CoreHarness::Definition();
  definition.plan.workers = 1;
  definition.plan.batch_size = 4;
  return definition;
}

class OneUnit : public testing::Test {
 protected:
  // Registers `n` executors and starts a job with one worker. The master has been running for so
  // long that no other executor is expected to return.
  void Begin(int n, JobDefinition definition = OneWorker()) {
    core_.Wait(core_.options().return_grace);
    for (int i = 1; i <= n; ++i) e_.push_back(core_.Register("e" + std::to_string(i)));
    id_ = core_.RunningJob(std::move(definition));
  }
  rpc::Lease LeaseTo(int executor) {
    auto leases = core_.LeaseUnits(e_[static_cast<size_t>(executor - 1)]);
    EXPECT_EQ(leases.size(), 1u) << "executor " << executor;
    return leases.empty() ? rpc::Lease{} : leases[0];
  }
  rpc::Verdict Announce(int executor, const rpc::Lease& lease, uint64_t bits) {
    auto reply = core_.Announce(e_[static_cast<size_t>(executor - 1)], lease, bits);
    EXPECT_TRUE(reply.ok());
    return reply.ok() ? reply->verdict : rpc::Verdict::kUnwanted;
  }
  JobState state() const { return core_.job(id_).record.state; }
  Reason reason() const { return core_.job(id_).record.reason; }
  // Two executors give different results of a unit that needs two.
  void Disagree() {
    const rpc::Lease first = LeaseTo(1);
    EXPECT_EQ(Announce(1, first, 7), rpc::Verdict::kSend);
    const rpc::Lease second = LeaseTo(2);
    EXPECT_EQ(Announce(2, second, 8), rpc::Verdict::kUnwanted);
  }
  static JobDefinition Verified() {
    JobDefinition definition = OneWorker();
    definition.verify_fraction = 1;
    return definition;
  }
  // All executors send heartbeats every second.
  void KeepAlive(Duration time) {
    for (Duration passed{}; passed < time; passed += std::chrono::seconds(1)) {
      core_.Wait(std::chrono::seconds(1));
      for (uint64_t session : e_) core_.Heartbeat(session);
    }
  }

  CoreHarness core_;
  std::vector<uint64_t> e_;
  std::string id_;
};

}  // namespace dl::master
