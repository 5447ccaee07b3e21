#include "master/step_times.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "master/gateway/cluster_json.h"

namespace dl::master {
namespace {

using std::chrono::milliseconds;

template <size_t... I>
std::set<std::string_view> NamesOfAll(std::index_sequence<I...>) {
  return {KindOf(std::variant_alternative_t<I, Event::Variant>())...};
}

TEST(StepTimesTest, EachEventHasName) {
  const auto names = NamesOfAll(std::make_index_sequence<std::variant_size_v<Event::Variant>>());
  EXPECT_EQ(names.size(), std::variant_size_v<Event::Variant>) << "two have one name, or none";
  EXPECT_FALSE(names.contains(""));
  EXPECT_EQ(KindOf(Tick{}), "Tick");
  EXPECT_EQ(KindOf(Asked<rpc::RegisterRequest>{}), "Register");
  EXPECT_EQ(KindOf(Asked<JobsQuery>{}), "QueryJobs");
  EXPECT_EQ(KindOf(SessionDisconnected{}), "ConnectionLost");
  EXPECT_EQ(KindOf(RoundMerged{}), "RoundMerged");
  EXPECT_EQ(KindOf(ShutdownRequested{}), "Shutdown");
}

TEST(StepTimesTest, LongStepsAreCountedAndSometimesLogged) {
  StepTimes times;
  const Instant start{};
  EXPECT_FALSE(times.Record(Tick{}, milliseconds(5), start));
  EXPECT_TRUE(times.Record(Asked<rpc::RegisterRequest>{}, milliseconds(40), start));
  EXPECT_FALSE(times.Record(RoundMerged{}, milliseconds(30), start + milliseconds(9'999)));
  EXPECT_TRUE(times.Record(RoundMerged{}, milliseconds(30), start + milliseconds(10'000)));
  EXPECT_EQ(
      ToJson(times.View()),
      Json({{"steps", 4}, {"long_steps", 3}, {"longest_ms", 40.0}, {"longest_event", "Register"}}));
}

}  // namespace
}  // namespace dl::master
