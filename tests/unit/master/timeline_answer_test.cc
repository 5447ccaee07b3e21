// Answers to queries about the timeline.
#include "master/gateway/timeline_answer.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "master/core/record_keys.h"
#include "storage/memory_meta_store.h"
#include "storage/timeline/timeline_records.h"
#include "tests/support/status_matchers.h"

namespace dl::master {
namespace {

using rpc::QueryKind;
using storage::LeaseEnd;

class TimelineAnswers : public testing::Test {
 protected:
  void SetUp() override {
    storage::MetaBatch batch;
    batch.Put(keys::Job("j"), "{}");
    for (int32_t executor = 1; executor <= 3; ++executor)
      batch.Put(storage::timeline_keys::Executor("j", executor), absl::StrCat("e", executor));
    for (int64_t round = 1; round <= 2500; ++round) {
      const auto executor = static_cast<int32_t>(3 - round % 2);  // e2 and e3
      const storage::RoundTimeline timeline{.opened_unix_us = 1'000'000 * round + 250,
                                            .length_us = 9'000,
                                            .leases = {{.unit = 0,
                                                        .executor = executor,
                                                        .end = LeaseEnd::kLost,
                                                        .leased_us = 100,
                                                        .began_us = 100,
                                                        .ended_us = 300},
                                                       {.unit = 0,
                                                        .executor = 0,
                                                        .leased_us = 400,
                                                        .began_us = 1'400,
                                                        .ended_us = 8'400,
                                                        .computing_us = 5'000,
                                                        .data_wait_us = 1'001,
                                                        .state_wait_us = 99,
                                                        .sending_us = 500}}};
      AppendTraining(batch, "j", rounds_, round, timeline);
      if (round == 2)
        batch.Put(storage::timeline_keys::Evaluation("j", round),
                  storage::EncodeTimeline({.length_us = 5}));
    }
    DL_ASSERT_OK(meta_.Write(batch));
  }
  StatusOr<rpc::QueryReply> Ask(rpc::QueryRequest request, int64_t page_bytes = 1 << 20) {
    request.what = QueryKind::kTimeline;
    if (request.job.empty()) request.job = "j";
    return TimelineAnswer(meta_, request, page_bytes);
  }

  storage::MemoryMetaStore meta_;
  storage::TimelineRounds rounds_;
};

TEST_F(TimelineAnswers, RoundsHaveTheirUnits) {
  const auto reply = Ask({.first = 2, .last = 3});
  DL_ASSERT_OK(reply);
  EXPECT_EQ(reply->next_first, 0);
  const Json answer = Json::parse(reply->json);
  EXPECT_EQ(answer["executors"], Json::parse(R"(["e3","e2"])"));
  EXPECT_EQ(answer["first"], 1);
  EXPECT_EQ(answer["last"], 2500);
  ASSERT_EQ(answer["rounds"].size(), 3);
  EXPECT_EQ(answer["rounds"][0], Json::parse(R"({"round":2,"opened_unix_ms":2000.25,
      "length_ms":9.0,"units":[
      {"unit":0,"executor":0,"end":"lost","leased_ms":0.1,"start_ms":0.1,"end_ms":0.3,
       "computing_ms":0.0,"data_wait_ms":0.0,"state_wait_ms":0.0,"sending_ms":0.0},
      {"unit":0,"executor":null,"end":"committed","leased_ms":0.4,"start_ms":1.4,"end_ms":8.4,
       "computing_ms":5.0,"data_wait_ms":1.001,"state_wait_ms":0.099,"sending_ms":0.5}]})"));
  EXPECT_EQ(answer["rounds"][1]["evaluation"], true);
  EXPECT_EQ(answer["rounds"][2]["round"], 3);
  EXPECT_EQ(answer["rounds"][2]["units"][0]["executor"], 1);
}

TEST_F(TimelineAnswers, PagesHaveEachRoundOnce) {
  int64_t expected = 1;
  int pages = 0;
  for (int64_t first = 0; first != 0 || pages == 0; ++pages) {
    const auto reply = Ask({.first = first}, 100'000);
    DL_ASSERT_OK(reply);
    EXPECT_LE(reply->json.size(), 101'000);
    const Json page = Json::parse(reply->json);
    for (const Json& round : page["rounds"]) {
      if (round.contains("evaluation")) continue;
      EXPECT_EQ(round["round"], expected);
      ++expected;
    }
    first = reply->next_first;
  }
  EXPECT_EQ(expected, 2501);
  EXPECT_GT(pages, 3);
}

TEST_F(TimelineAnswers, PageHasAtLeastOneAndAtMostAThousandRounds) {
  const auto tiny = Ask({.first = 7}, 1);
  DL_ASSERT_OK(tiny);
  EXPECT_EQ(Json::parse(tiny->json)["rounds"].size(), 1);
  EXPECT_EQ(tiny->next_first, 8);
  const auto huge = Ask({.first = 5}, int64_t{1} << 30);
  DL_ASSERT_OK(huge);
  EXPECT_EQ(Json::parse(huge->json)["rounds"].size(), kMaxTimelineRounds);
  EXPECT_EQ(huge->next_first, 5 + kMaxTimelineRounds);
}

TEST_F(TimelineAnswers, OtherRequestsAreEmptyOrErrors) {
  const auto after = Ask({.first = 2501});
  DL_ASSERT_OK(after);
  EXPECT_TRUE(Json::parse(after->json)["rounds"].empty());
  EXPECT_EQ(after->next_first, 0);
  EXPECT_TRUE(absl::IsNotFound(Ask({.job = "other"}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Ask({.first = -1}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Ask({.last = -1}).status()));
  DL_EXPECT_OK(Ask({.first = INT64_MAX}).status());
  DL_EXPECT_OK(Ask({.last = INT64_MAX}).status());
}

TEST_F(TimelineAnswers, DamageIsAnError) {
  storage::MetaBatch damage;
  damage.Put(storage::timeline_keys::Training("j", 3), "x");
  DL_ASSERT_OK(meta_.Write(damage));
  EXPECT_TRUE(absl::IsDataLoss(Ask({.first = 2}).status()));
  DL_EXPECT_OK(Ask({.first = 4}).status());
}

}  // namespace
}  // namespace dl::master
