// An executor measures how long a unit computed, and waited for its state and its data.
#include "base/clock.h"
#include "executor/executor.h"
#include "gtest/gtest.h"
#include "tests/support/gate.h"
#include "tests/unit/executor/scripted_master.h"

namespace dl::executor {
namespace {

using test::Gate;
using test::OpenedAtTheEnd;
using Heard = ScriptedMaster::Heard;

// Opens the gate after some heartbeats. Returns the time that passed, in microseconds.
int64_t OpenAfterHeartbeats(const ScriptedMaster& master, Gate& gate) {
  const Instant began = Clock::Real().Now();
  const size_t before = master.heard().heartbeats.size();
  EXPECT_TRUE(
      master.WaitUntil([&](const Heard& heard) { return heard.heartbeats.size() >= before + 3; }));
  const Duration passed = Clock::Real().Now() - began;
  gate.Open();
  return passed / std::chrono::microseconds(1);
}

TEST(TimesInSlot, WaitsForStateAndDataAreSeparate) {
  ScriptedMaster master;
  Gate state, blocks;
  std::atomic<bool> state_asked = false;
  master.on_fetch_part = [&](const auto&, rpc::Chunk&) {
    state_asked = true;
    state.Wait();
    return absl::OkStatus();
  };
  master.on_fetch_block = [&](const auto&, rpc::Chunk&) {
    blocks.Wait();
    return absl::OkStatus();
  };
  master.LeaseOut(1);
  Executor executor(
      {.core = {.contracts = {{ScriptedMaster::kContract, "avx2"}}}, .master = &master});
  const OpenedAtTheEnd let_go_of_state(state), let_go_of_blocks(blocks);
  ASSERT_TRUE(master.WaitUntil([&](const Heard&) { return state_asked.load(); }));
  const int64_t state_wait = OpenAfterHeartbeats(master, state);
  ASSERT_TRUE(master.WaitUntil([](const Heard& heard) {
    return !heard.heartbeats.empty() && heard.heartbeats.back().running.size() == 1 &&
           heard.heartbeats.back().running[0].steps_total == 16 &&
           !heard.heartbeats.back().running[0].computing;
  })) << "it waits for the first minibatch";
  const int64_t data_wait = OpenAfterHeartbeats(master, blocks);
  ASSERT_TRUE(master.WaitUntil([](const Heard& heard) { return !heard.announced.empty(); }));
  const rpc::AnnounceRequest said = master.heard().announced[0];
  EXPECT_GE(said.state_wait_us, state_wait);
  EXPECT_GE(said.data_wait_us, data_wait);
  EXPECT_GT(said.computing_us, 0);
  EXPECT_GE(said.unit_us, said.computing_us + said.data_wait_us + said.state_wait_us);
}

}  // namespace
}  // namespace dl::executor
