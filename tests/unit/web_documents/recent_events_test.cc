#include "web/documents/recent_events.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/web/scripted_clients.h"

namespace dl::web {
namespace {

Json Round(int64_t round) { return {{"type", "round"}, {"round", round}}; }
Json Epoch(int64_t epoch, int64_t round, double loss) {
  return {{"type", "epoch"}, {"epoch", epoch}, {"round", round}, {"test", {{"loss", loss}}}};
}
Json State(const char* state) { return {{"type", "state"}, {"state", state}}; }

// The answer before a restart of the master ends at the restart.
TEST(ReadLastEvents, ShortAnswersAreNotTheLast) {
  ScriptedClients clients;
  for (int i = 1; i <= 9; ++i)
    clients.AddEvent(absl::StrCat(R"({"seq":)", i, R"(,"type":"round"})"));
  clients.AddEvent(R"({"type":"result"})", true);
  clients.LimitAnswers(2);
  const auto events = ReadLastEvents(clients, {.job = "mlp-1", .max_count = 5, .expected = 9});
  DL_ASSERT_OK(events);
  ASSERT_EQ(events->size(), 5u);
  EXPECT_EQ(events->front().value("seq", 0), 5);
  EXPECT_EQ(events->back().value("seq", 0), 9);
}

TEST(NotableEvents, NewestComesFirstWithoutRounds) {
  const Json notable = NotableEvents({State("QUEUED"),
                                      State("RUNNING"),
                                      Round(1),
                                      Epoch(1, 1, 2),
                                      {{"type", "checkpoint"}, {"round", 1}},
                                      {{"type", "warning"}}},
                                     2);
  EXPECT_EQ(notable, Json::array({{{"type", "warning"}}, State("RUNNING")}));
}

TEST(NotableEvents, LongJobShowsItsEpochsIfNothingElseHappened) {
  const Json checkpoint = {{"type", "checkpoint"}, {"round", 2}};
  EXPECT_EQ(NotableEvents({Epoch(1, 1, 2), Round(2), checkpoint}, 5),
            Json::array({checkpoint, Epoch(1, 1, 2)}));
}

TEST(EpochsOf, EpochComputedAgainCountsOnce) {
  const Json epochs =
      EpochsOf({Epoch(1, 4, 0.9), Epoch(2, 8, 0.8), Epoch(2, 8, 0.7), Epoch(3, 12, 0.6)}, 8);
  ASSERT_EQ(epochs.size(), 3u);
  EXPECT_EQ(epochs[0]["epoch"], 3);
  EXPECT_EQ(epochs[1]["test"]["loss"], 0.7);
  EXPECT_EQ(epochs[1]["is_best"], true);
  EXPECT_FALSE(epochs[2].contains("is_best"));
}

TEST(EpochsOf, RolledBackEpochsDoNotCount) {
  const Json epochs =
      EpochsOf({Epoch(1, 4, 0.9), Epoch(2, 8, 0.8), {{"type", "rollback"}, {"round", 6}}}, 0);
  ASSERT_EQ(epochs.size(), 1u);
  EXPECT_EQ(epochs[0]["epoch"], 1);
}

TEST(MarksOf, RestartsAndLostExecutorsHaveTheRoundBefore) {
  const Json gone = {{"type", "warning"},
                     {"message",
                      "executor node2 is gone (its connection closed); its units are "
                      "computed again"}};
  EXPECT_EQ(MarksOf({State("RECOVERING"),
                     Round(1),
                     gone,
                     Round(2),
                     State("RECOVERING"),
                     {{"type", "warning"}, {"message", "a slow disk"}}}),
            "lost:1 restart:2");
}

}  // namespace
}  // namespace dl::web
