// Notices to executors in answers to their heartbeats.
#include "gtest/gtest.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

// A notice is repeated until the session acknowledges it.
TEST(Notices, AreRepeatedUntilAcknowledged) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  core.CompleteRound(id, e1);
  const auto heartbeat = [&](uint64_t seen) {
    core.Do(Asked<rpc::HeartbeatRequest>{77, {.session = e1, .notices_seen = seen}});
    return std::get<rpc::HeartbeatReply>(core.EffectsOf<Answer>().at(0).reply);
  };
  const rpc::HeartbeatReply lost = heartbeat(0);
  ASSERT_EQ(lost.committed.size(), 1u);
  const rpc::HeartbeatReply again = heartbeat(0);
  EXPECT_EQ(again.committed, lost.committed);
  EXPECT_GT(again.number, lost.number);
  EXPECT_TRUE(heartbeat(again.number).committed.empty());
  core.CompleteRound(id, e1);
  const rpc::HeartbeatReply fresh = heartbeat(0);
  ASSERT_EQ(fresh.committed.size(), 1u);
  EXPECT_EQ(fresh.committed[0].round, 2);
}

}  // namespace
}  // namespace dl::master
