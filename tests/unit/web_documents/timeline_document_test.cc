#include "web/documents/timeline_document.h"

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::web {
namespace {

Json Unit(int unit, const Json& executor, double start, double end, const char* how = "committed") {
  return {{"unit", unit},
          {"executor", executor},
          {"leased_ms", start},
          {"start_ms", start},
          {"end_ms", end},
          {"computing_ms", (end - start) / 2},
          {"data_wait_ms", (end - start) / 4},
          {"state_wait_ms", 0},
          {"sending_ms", 1},
          {"end", how}};
}

Json Answer(Json executors, Json rounds) {
  return {{"executors", std::move(executors)}, {"rounds", std::move(rounds)}};
}

Json Round(int round, double opened, Json units) {
  return {{"round", round}, {"opened_unix_ms", opened}, {"units", std::move(units)}};
}

TEST(TimelineDocument, OverlappingLeasesAreInDifferentSlots) {
  const Json document =
      TimelineDocument({Answer({"b", "a"}, {Round(1, 1000,
                                                  {Unit(0, 0, 0, 100), Unit(1, 0, 50, 200),
                                                   Unit(2, 0, 100, 200), Unit(3, 1, 0, 200)})})});
  const Json& slots = document["slots"];
  ASSERT_EQ(slots.size(), 3u);
  EXPECT_EQ(slots[0]["name"], "a");
  EXPECT_EQ(slots[1]["name"], "b, slot 1");
  EXPECT_EQ(slots[1]["leases"], 2);
  EXPECT_DOUBLE_EQ(slots[1]["computing"].get<double>(), 0.5) << "100 of 200 ms";
  EXPECT_DOUBLE_EQ(slots[1]["data_wait"].get<double>(), 0.25);
  EXPECT_DOUBLE_EQ(slots[1]["other"].get<double>(), 0.25);
  EXPECT_EQ(slots[1]["bars"],
            "1,0,committed,0,0,100,0,25,50,1 1,2,committed,100,100,100,0,25,50,1");
  EXPECT_EQ(slots[2]["name"], "b, slot 2");
  EXPECT_DOUBLE_EQ(slots[2]["computing"].get<double>(), 0.375) << "75 of 200 ms";
}

TEST(TimelineDocument, RoundsAreInTimeSinceTheFirst) {
  Json evaluation = Round(7, 2500, {Unit(0, 0, 0, 5)});
  evaluation["evaluation"] = true;
  evaluation["length_ms"] = 10.26;
  const Json document =
      TimelineDocument({Answer({"a"}, {Round(7, 1000, {Unit(0, 0, 0, 5)}), evaluation})});
  EXPECT_EQ(document["origin_unix_ms"], 1000);
  EXPECT_EQ(document["rounds"], "7,0,0 7e,1500,10.3");
  EXPECT_EQ(document["leases"][0]["is_evaluation"], true);
}

TEST(TimelineDocument, SlotWhoseLastLeaseWasLostIsLost) {
  const Json lost =
      Answer({"a"}, {Round(1, 0, {Unit(0, 0, 0, 10)}), Round(2, 20, {Unit(0, 0, 0, 10, "lost")})});
  EXPECT_EQ(TimelineDocument({lost})["slots"][0]["is_lost"], true);
  EXPECT_EQ(TimelineDocument({lost})["slots"][0]["unused"], 1);
  const Json back = Answer({"a"}, {Round(3, 50, {Unit(0, 0, 0, 10)})});
  EXPECT_EQ(TimelineDocument({lost, back})["slots"][0]["is_lost"], false);
}

TEST(TimelineDocument, NewestLeasesAreListedFirst) {
  Json rounds = Json::array();
  for (int round = 1; round <= 150; ++round)
    rounds.push_back(Round(round, 10.0 * round, {Unit(0, 0, 0, 5)}));
  const Json leases = TimelineDocument({Answer({"a"}, rounds)})["leases"];
  ASSERT_EQ(leases.size(), kListedLeases);
  EXPECT_EQ(leases[0]["round"], 150);
  EXPECT_EQ(leases[0]["slot"], "a");
  EXPECT_DOUBLE_EQ(leases[0]["start_unix_ms"].get<double>(), 1500);
  EXPECT_DOUBLE_EQ(leases[0]["length_ms"].get<double>(), 5);
  EXPECT_EQ(leases[99]["round"], 51);
}

// The numbers of executors are those of their own answer.
TEST(TimelineDocument, AnswersNumberExecutorsOnTheirOwn) {
  const Json slots = TimelineDocument(
      {Answer({"a", "b"}, {Round(1, 0, {Unit(0, 1, 0, 5)})}),
       Answer({"b"}, {Round(2, 10, {Unit(0, 0, 0, 5), Unit(1, Json(), 0, 5)})})})["slots"];
  ASSERT_EQ(slots.size(), 2u);
  EXPECT_EQ(slots[0]["name"], "b");
  EXPECT_EQ(slots[0]["leases"], 2);
  EXPECT_EQ(slots[1]["name"], "other executors");
}

}  // namespace
}  // namespace dl::web
