// Reports of an executor about running units, and about threads that do not return.
#include "executor/executor.h"
#include "gtest/gtest.h"
#include "tests/support/gate.h"
#include "tests/unit/executor/scripted_master.h"

namespace dl::executor {
namespace {

using test::Gate;
using test::OpenedAtTheEnd;
using Heard = ScriptedMaster::Heard;

bool LastBeat(const Heard& heard, const std::function<bool(const rpc::UnitProgress&)>& holds) {
  if (heard.heartbeats.empty()) return false;
  const auto& running = heard.heartbeats.back().running;
  return running.size() == 1 && holds(running[0]);
}

TEST(Progress, HeartbeatsReportStepsOfAUnit) {
  ScriptedMaster master;
  Gate blocks, bytes;
  master.on_fetch_block = [&](const auto&, rpc::Chunk&) {
    blocks.Wait();
    return absl::OkStatus();
  };
  master.on_contribute = [&](const auto&) {
    bytes.Wait();
    return absl::OkStatus();
  };
  master.LeaseOut(1);
  Executor executor(
      {.core = {.contracts = {{ScriptedMaster::kContract, "avx2"}}}, .master = &master});
  const OpenedAtTheEnd let_go_of_blocks(blocks), let_go_of_bytes(bytes);
  const int64_t state = master.state_bytes();
  ASSERT_TRUE(master.WaitUntil([&](const Heard& heard) {
    return LastBeat(heard, [&](const rpc::UnitProgress& unit) {
      return unit.bytes_moved == state && unit.steps_done == 0 && unit.steps_total == 16;
    });
  })) << "the state is there, the block is not";
  blocks.Open();
  ASSERT_TRUE(master.WaitUntil([&](const Heard& heard) {
    return LastBeat(heard, [&](const rpc::UnitProgress& unit) {
      return unit.steps_done == 16 && unit.steps_total == 16;
    });
  })) << "computed, and on its way";
  bytes.Open();
  ASSERT_TRUE(master.WaitUntil([](const Heard& heard) {
    return !heard.contributed.empty() && heard.heartbeats.back().running.empty();
  }));
}

// The network loses the large packets of one unit while the bytes of another unit arrive. These
// bytes are no progress of the first unit, which waits in the same queue between its tries.
TEST(Progress, OnlyOwnBytesCount) {
  ScriptedMaster master;
  Gate others;
  std::atomic<int> tried = 0;
  master.on_contribute = [&](const rpc::ContributionChunk& chunk) -> Status {
    if (chunk.unit.index == 0) {
      ++tried;
      return Unavailable({.message = "swallowed"});
    }
    others.Wait();
    return absl::OkStatus();
  };
  master.LeaseOut(1, 0);
  Executor executor({.core = {.slots = 2, .contracts = {{ScriptedMaster::kContract, "avx2"}}},
                     .master = &master});
  const OpenedAtTheEnd let_go(others);
  const auto beats = [&](size_t more) {
    const size_t by_now = master.heard().heartbeats.size();
    return master.WaitUntil(
        [&](const Heard& heard) { return heard.heartbeats.size() >= by_now + more; });
  };
  const auto moved = [&] {
    const Heard heard = master.heard();
    for (const rpc::UnitProgress& unit : heard.heartbeats.back().running) {
      if (unit.lease == 1) return unit.bytes_moved;
    }
    return int64_t{-1};
  };
  ASSERT_TRUE(master.WaitUntil([&](const Heard&) { return tried >= 1; }));
  ASSERT_TRUE(beats(2));
  const int64_t before = moved();
  master.LeaseOut(2, 1);
  ASSERT_TRUE(master.WaitUntil([](const Heard& heard) { return heard.announced.size() >= 2; }));
  ASSERT_TRUE(beats(20)) << "long enough for the first one to be in the queue again";
  others.Open();
  ASSERT_TRUE(master.WaitUntil([](const Heard& heard) { return heard.contributed.size() == 1; }));
  ASSERT_TRUE(beats(3));
  EXPECT_EQ(moved(), before);
}

// Hangs in a fetch instead of a computation, because a hanging computation would keep this process
// for ever. Both occupy the slot in the same way.
TEST(Progress, HangingThreadKeepsOnlyItsSlot) {
  ScriptedMaster master;
  Gate hung;
  std::atomic<int> calls = 0;
  std::atomic<bool> abandon = false;
  master.on_fetch_job = [&](const auto&) {
    if (calls++ == 0) hung.Wait();
    return absl::OkStatus();
  };
  master.on_heartbeat = [&](const rpc::HeartbeatRequest& request, rpc::HeartbeatReply& reply) {
    for (const rpc::UnitProgress& unit : request.running) {
      if (unit.lease == 1 && abandon) reply.abandon.push_back(unit.unit);
    }
  };
  master.LeaseOut(1, 0);
  Executor executor({.core = {.slots = 2, .contracts = {{ScriptedMaster::kContract, "avx2"}}},
                     .master = &master});
  const OpenedAtTheEnd let_go(hung);
  ASSERT_TRUE(master.WaitUntil([&](const Heard& heard) {
    return calls == 1 &&
           LastBeat(heard, [](const rpc::UnitProgress& unit) { return unit.lease == 1; });
  })) << "it hangs";
  abandon = true;
  ASSERT_TRUE(
      master.WaitUntil([](const Heard& heard) { return heard.heartbeats.back().running.empty(); }));
  const size_t asked = master.heard().lease_requests.size();
  master.LeaseOut(2, 0);  // the same unit again
  ASSERT_TRUE(master.WaitUntil([](const Heard& heard) { return !heard.contributed.empty(); }));
  for (size_t i = asked; i < master.heard().lease_requests.size(); ++i)
    EXPECT_EQ(master.heard().lease_requests[i].free_slots, 1);
  EXPECT_EQ(master.heard().announced.at(0).lease, 2u);
  hung.Open();
  EXPECT_TRUE(master.WaitUntil(
      [](const Heard& heard) { return heard.lease_requests.back().free_slots == 2; }));
}

}  // namespace
}  // namespace dl::executor
