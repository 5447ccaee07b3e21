// Answers to queries about histograms.
#include "master/gateway/histogram_answer.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/record_keys.h"
#include "storage/memory_meta_store.h"
#include "storage/series/histogram_records.h"
#include "storage/series/round_row.h"
#include "storage/series/series_records.h"
#include "tests/support/status_matchers.h"

namespace dl::master {
namespace {

using testing::ElementsAre;

class HistogramAnswers : public testing::Test {
 protected:
  HistogramAnswers() {
    storage::MetaBatch batch;
    batch.Put(keys::Job("j"), "{}");
    batch.Put(storage::series_keys::Columns("j"),
              RecordText(storage::SeriesColumns{{{"train/loss"}}}));
    Write(batch);
  }
  void Write(const storage::MetaBatch& batch) { DL_ASSERT_OK(meta_.Write(batch)); }
  // Commits a round, and its histograms if they are due.
  void Commit(int64_t round) {
    storage::MetaBatch batch;
    batch.Put(storage::series_keys::Row("j", place_++),
              storage::EncodeRow({.round = round, .values = {{0, 1}}}));
    if (round % 2 == 1) {
      const auto bytes = [](const char* layer, int32_t bucket) {
        const std::vector<LayerHistogram> layers = {
            {.layer = "a", .values = {.buckets = {{-253, 1}, {253, 3}}}},
            {.layer = layer, .values = {.buckets = {{bucket, 5}}}}};
        return EncodeHistograms(layers);
      };
      storage::RecordHistograms("j", 2, round, {bytes("b", 0), bytes("b", 1), bytes("pool", 1)},
                                batch);
    }
    Write(batch);
  }
  StatusOr<rpc::QueryReply> Ask(rpc::QueryRequest request, int64_t page_bytes = 1 << 20) {
    request.what = rpc::QueryKind::kHistograms;
    if (request.job.empty()) request.job = "j";
    if (request.series.empty()) request.series = "*";
    return HistogramAnswer(meta_, request, page_bytes);
  }
  Json Answer(const rpc::QueryRequest& request) {
    const auto reply = Ask(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? Json::parse(reply->json) : Json();
  }
  std::vector<int64_t> RoundsOf(const Json& answer) {
    return answer["histograms"].empty()
               ? std::vector<int64_t>()
               : answer["histograms"][0]["rounds"].get<std::vector<int64_t>>();
  }

  storage::MemoryMetaStore meta_;
  int64_t place_ = 1;
};

TEST_F(HistogramAnswers, HaveQuantilesByNameAndRound) {
  for (int64_t round = 1; round <= 4; ++round) Commit(round);
  const Json answer = Answer({});
  EXPECT_EQ(answer["job"], "j");
  EXPECT_EQ(answer["rounds"], 4);
  EXPECT_EQ(answer["every_rounds"], 2);
  std::vector<std::string> names;
  for (const Json& histogram : answer["histograms"]) names.push_back(histogram["name"]);
  EXPECT_THAT(names,
              ElementsAre("layer/a/parameters", "layer/b/parameters", "layer/a/changes",
                          "layer/b/changes", "layer/a/activations", "layer/pool/activations"));
  const Json& first = answer["histograms"][0];
  EXPECT_EQ(first["rounds"], Json({1, 3}));
  EXPECT_EQ(first["values"], Json({4, 4}));
  ASSERT_EQ(first["quantiles"][1].size(), answer["shares"].size());
  EXPECT_EQ(first["quantiles"][1].front(), -1.5);  // share 0
  EXPECT_EQ(first["quantiles"][1].back(), 1.5);
  EXPECT_FALSE(first.contains("buckets"));
}

TEST_F(HistogramAnswers, HaveBucketsIfAskedFor) {
  Commit(1);
  const Json answer = Answer({.series = "layer/a/changes", .buckets = true});
  ASSERT_EQ(answer["histograms"].size(), 1);
  EXPECT_EQ(answer["histograms"][0]["buckets"][0], Json({{-1.5, -1.0, 1}, {1.0, 1.5, 3}}));
}

TEST_F(HistogramAnswers, RoundsAreThoseOfTheRange) {
  for (int64_t round = 1; round <= 41; ++round) Commit(round);
  EXPECT_THAT(RoundsOf(Answer({.first = 4, .last = 9})), ElementsAre(5, 7, 9));
  EXPECT_THAT(RoundsOf(Answer({.max_entries = 1})), ElementsAre(41));
  EXPECT_THAT(RoundsOf(Answer({.max_entries = 3})), ElementsAre(1, 21, 41));
  EXPECT_THAT(RoundsOf(Answer({.first = 50})), ElementsAre());
}

TEST_F(HistogramAnswers, RoundsThatWereRolledBackAreLeftOut) {
  for (int64_t round = 1; round <= 9; ++round) Commit(round);
  Commit(4);  // not recorded, but it shows the rollback
  EXPECT_THAT(RoundsOf(Answer({})), ElementsAre(1, 3));
  Commit(5);
  EXPECT_THAT(RoundsOf(Answer({})), ElementsAre(1, 3, 5));
}

TEST_F(HistogramAnswers, PagesHaveEachRoundOnce) {
  for (int64_t round = 1; round <= 9; ++round) Commit(round);
  std::vector<int64_t> rounds;
  for (int64_t first = 0;;) {
    const auto reply = Ask({.first = first, .buckets = true}, 1);
    DL_ASSERT_OK(reply);
    for (const int64_t round : RoundsOf(Json::parse(reply->json))) rounds.push_back(round);
    if (reply->next_first == 0) break;
    ASSERT_GT(reply->next_first, first);
    first = reply->next_first;
  }
  EXPECT_THAT(rounds, ElementsAre(1, 3, 5, 7, 9));
}

TEST_F(HistogramAnswers, JobWithoutHistogramsHasNone) {
  const Json answer = Answer({});
  EXPECT_EQ(answer["every_rounds"], 0);
  EXPECT_TRUE(answer["histograms"].empty());
}

TEST_F(HistogramAnswers, WrongRequestsAreErrors) {
  EXPECT_TRUE(absl::IsNotFound(Ask({.job = "k"}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Ask({.first = -1}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Ask({.last = -1}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Ask({.max_entries = -1}).status()));
}

}  // namespace
}  // namespace dl::master
