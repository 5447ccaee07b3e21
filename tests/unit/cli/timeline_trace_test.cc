// Timelines as traces for Chrome and Perfetto.
#include "cli/output/timeline_trace.h"

#include "base/philox.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/trace_rules.h"

namespace dl::cli {
namespace {

Json UnitAt(int64_t unit, const Json& executor, double start_ms, double end_ms) {
  return {{"unit", unit},          {"executor", executor}, {"end", "committed"},
          {"leased_ms", start_ms}, {"start_ms", start_ms}, {"end_ms", end_ms},
          {"computing_ms", 0.5},   {"data_wait_ms", 0.25}, {"state_wait_ms", 0},
          {"sending_ms", 2}};
}

Json RoundAt(int64_t round, double opened_unix_ms, const std::vector<Json>& units) {
  return {{"round", round},
          {"opened_unix_ms", opened_unix_ms},
          {"length_ms", 10},
          {"units", Json(units)}};
}

Json PageOf(const std::vector<std::string>& executors, const std::vector<Json>& rounds) {
  return {{"executors", Json(executors)}, {"rounds", Json(rounds)}};
}

std::vector<Json> EventsOf(const std::vector<Json>& pages) {
  TimelineTrace trace("j");
  std::string text = trace.Beginning();
  for (const Json& page : pages) {
    const auto more = trace.Page(page);
    EXPECT_TRUE(more.ok()) << more.status();
    text += more.value_or("");
  }
  return test::ExpectIsTrace(text + TimelineTrace::End());
}

TEST(TimelineTrace, UnitsOfAnExecutorShareALaneIfTheyFollowOneAnother) {
  const auto events = EventsOf({PageOf(
      {"a", "b"}, {RoundAt(1, 5000.5, {UnitAt(0, 0, 0, 4), UnitAt(1, 0, 4, 8), UnitAt(2, 1, 1, 9)}),
                   RoundAt(2, 5010.5, {UnitAt(0, 0, 0, 4), UnitAt(1, 0, 3, 8)})})});
  ASSERT_EQ(events.size(), 5);
  EXPECT_EQ(events[0]["ts"], 0);
  EXPECT_EQ(events[0]["dur"], 4000);
  EXPECT_EQ(events[0]["pid"], events[2]["pid"]);
  EXPECT_EQ(events[0]["tid"], events[2]["tid"]);
  EXPECT_NE(events[0]["pid"], events[1]["pid"]);
  EXPECT_NE(events[3]["tid"], events[4]["tid"]);
  EXPECT_EQ(events[3]["args"]["round"], 2);
  EXPECT_EQ(events[3]["args"]["data_wait_ms"], 0.25);
}

TEST(TimelineTrace, ExecutorKeepsItsProcessOnTheNextPage) {
  const auto events =
      EventsOf({PageOf({"a"}, {RoundAt(1, 100, {UnitAt(0, 0, 0, 4)})}),
                PageOf({"b", "a"}, {RoundAt(2, 110, {UnitAt(0, 1, 0, 4), UnitAt(1, 0, 1, 4)})})});
  ASSERT_EQ(events.size(), 3);
  EXPECT_EQ(events[0]["pid"], events[1]["pid"]);
  EXPECT_NE(events[0]["pid"], events[2]["pid"]);
}

TEST(TimelineTrace, EvaluationsAndUnknownExecutorsAreShown) {
  Json evaluation = RoundAt(1, 100, {UnitAt(3, nullptr, 0, 4)});
  evaluation["evaluation"] = true;
  const auto events = EventsOf({PageOf({}, {evaluation})});
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(events[0]["name"], "evaluation unit 3");
}

TEST(TimelineTrace, LanesNeverOverlap) {
  RandomStream random({.seed = 5, .a = 6});
  std::vector<Json> pages;
  for (int64_t round = 1; round <= 50; ++round) {
    std::vector<Json> units;
    for (int64_t unit = 0; unit < 40; ++unit) {
      const double start = 5 * random.NextDouble();
      units.push_back(UnitAt(unit, random.Bounded(3), start, start + 5 * random.NextDouble()));
    }
    const double opened = 1e12 + 10.0 * static_cast<double>(round);
    pages.push_back(PageOf({"a", "b", "c"}, {RoundAt(round, opened, units)}));
  }
  EXPECT_EQ(EventsOf(pages).size(), 2000);
}

TEST(TimelineTrace, OtherDocumentsAreRefused) {
  const Json good = PageOf({"a"}, {RoundAt(1, 100, {UnitAt(0, 0, 0, 4)})});
  std::vector<Json> wrong = {Json::array(), Json::object(), good, good, good, good};
  wrong[2]["rounds"][0]["units"][0]["executor"] = 1;
  wrong[3]["rounds"][0]["units"][0].erase("start_ms");
  wrong[4]["rounds"][0]["round"] = "x";
  wrong[5]["executors"][0] = 5;
  for (const Json& page : wrong)
    EXPECT_TRUE(absl::IsInvalidArgument(TimelineTrace("j").Page(page).status())) << page;
}

}  // namespace
}  // namespace dl::cli
