#include "master/step_times.h"

#include <gtest/gtest.h>

namespace dl::master {
namespace {

using std::chrono::milliseconds;

TEST(StepTimesTest, EveryEventHasAName) {
  EXPECT_EQ(KindOf(Tick{}), "Tick");
  EXPECT_EQ(KindOf(Asked<rpc::RegisterRequest>{}), "Register");
  EXPECT_EQ(KindOf(Asked<rpc::QueryRequest>{}), "Query");
  EXPECT_EQ(KindOf(SessionDisconnected{}), "ConnectionLost");
  EXPECT_EQ(KindOf(RoundMerged{}), "RoundMerged");
  EXPECT_EQ(KindOf(ShutdownRequested{}), "Shutdown");
}

TEST(StepTimesTest, LongStepsAreCountedAndToldOfNowAndThen) {
  StepTimes times;
  const Instant start{};
  EXPECT_FALSE(times.Note(Tick{}, milliseconds(5), start));
  EXPECT_TRUE(times.Note(Asked<rpc::RegisterRequest>{}, milliseconds(40), start));
  EXPECT_FALSE(times.Note(RoundMerged{}, milliseconds(30), start + milliseconds(9'999)));
  EXPECT_TRUE(times.Note(RoundMerged{}, milliseconds(30), start + milliseconds(10'000)));
  EXPECT_EQ(
      times.ToJson(),
      Json({{"steps", 4}, {"long_steps", 3}, {"longest_ms", 40.0}, {"longest_event", "Register"}}));
}

}  // namespace
}  // namespace dl::master
