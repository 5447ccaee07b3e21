// The timeline of a job: few bytes, and only rounds that count.
#include <string>

#include "gtest/gtest.h"
#include "storage/memory_meta_store.h"
#include "storage/timeline/stored_timeline.h"
#include "tests/support/status_matchers.h"

namespace dl::storage {
namespace {

// A round of `units` units of 0.3 s to 0.6 s on `executors` executors.
RoundTimeline TypicalRound(int32_t units, int32_t executors) {
  RoundTimeline round{.opened_unix_us = 1'764'448'123'456'789, .length_us = 640'000};
  for (int32_t unit = 0; unit < units; ++unit) {
    const int64_t computing = 300'000 + 300'000 * unit / units;
    round.leases.push_back({.unit = unit,
                            .executor = 1 + unit % executors,
                            .leased_us = 200 + unit,
                            .began_us = 1'000 + unit,
                            .ended_us = 1'000 + unit + computing + 11'000,
                            .computing_us = computing,
                            .data_wait_us = 3'000,
                            .state_wait_us = 7'000,
                            .sending_us = 12'000});
  }
  return round;
}

TEST(Timeline, ALeaseTakesAtMostTwelveBytes) {
  EXPECT_LE(EncodeTimeline(TypicalRound(60, 60)).size(), 12 * 60);
  EXPECT_LE(EncodeTimeline(TypicalRound(1000, 100)).size(), 12 * 1000);
}

TEST(Timeline, ShortTimesAreRestoredExactly) {
  RoundTimeline round{.opened_unix_us = -5, .length_us = 16'383};
  round.leases = {{.unit = 2,
                   .executor = 1,
                   .end = LeaseEnd::kLost,
                   .leased_us = 10,
                   .began_us = 10,
                   .ended_us = 90},
                  {.unit = 2,
                   .executor = 300,
                   .leased_us = 100,
                   .began_us = 120,
                   .ended_us = 16'383,
                   .computing_us = 10'000,
                   .data_wait_us = 200,
                   .state_wait_us = 300,
                   .sending_us = 4},
                  {.unit = 70'000, .executor = 0, .end = LeaseEnd::kDistrusted}};
  const auto read = DecodeTimeline(EncodeTimeline(round));
  DL_ASSERT_OK(read);
  EXPECT_EQ(*read, round);
}

TEST(Timeline, LongTimesAreRoundedDown) {
  const RoundTimeline round = TypicalRound(100, 7);
  const auto read = DecodeTimeline(EncodeTimeline(round));
  DL_ASSERT_OK(read);
  ASSERT_EQ(read->leases.size(), round.leases.size());
  EXPECT_EQ(read->opened_unix_us, round.opened_unix_us);
  const int64_t most = 4 * (round.length_us >> 13);
  for (size_t i = 0; i < round.leases.size(); ++i) {
    const LeaseSpan& is = read->leases[i];
    const LeaseSpan& was = round.leases[i];
    EXPECT_EQ(is.executor, was.executor);
    EXPECT_LE(is.ended_us, was.ended_us);
    EXPECT_GE(is.ended_us, was.ended_us - most);
    EXPECT_LE(is.computing_us, was.computing_us);
    EXPECT_LE(is.computing_us + is.data_wait_us + is.state_wait_us, is.ended_us - is.began_us);
  }
}

TEST(Timeline, ImpossibleTimesStayInTheRecord) {
  RoundTimeline round{.opened_unix_us = INT64_MIN, .length_us = -1};
  round.leases = {{.unit = 1,
                   .executor = INT32_MAX - 1,
                   .leased_us = INT64_MIN / 2,
                   .began_us = 0,
                   .ended_us = INT64_MAX,
                   .sending_us = -7}};
  DL_EXPECT_OK(DecodeTimeline(EncodeTimeline(round)));
}

TEST(Timeline, DamageIsFound) {
  const std::string bytes = EncodeTimeline(TypicalRound(3, 2));
  EXPECT_TRUE(absl::IsDataLoss(DecodeTimeline("").status()));
  EXPECT_TRUE(absl::IsDataLoss(DecodeTimeline(bytes.substr(0, 10)).status()));
  EXPECT_TRUE(absl::IsDataLoss(DecodeTimeline(bytes.substr(0, bytes.size() - 1)).status()));
  for (const size_t at : {0, 1}) {
    std::string wrong = bytes;
    wrong[at] = '\xff';
    EXPECT_TRUE(absl::IsDataLoss(DecodeTimeline(wrong).status())) << at;
  }
  std::string no_end = bytes;
  no_end[12] = 0;  // the head of the first lease
  EXPECT_TRUE(absl::IsDataLoss(DecodeTimeline(no_end).status()));
}

class StoredRounds : public testing::Test {
 protected:
  void Commit(int64_t first, int64_t last) {
    for (int64_t round = first; round <= last; ++round) {
      MetaBatch batch;
      AppendTraining(batch, "j", rounds_, round, {.opened_unix_us = round});
      if (round % 10 == 0)
        batch.Put(timeline_keys::Evaluation("j", round), EncodeTimeline({.opened_unix_us = round}));
      DL_ASSERT_OK(store_.Write(batch));
    }
  }
  void RollBack(int64_t round) {
    MetaBatch batch;
    ForgetTimelineAfter(batch, "j", rounds_, round);
    DL_ASSERT_OK(store_.Write(batch));
  }
  int64_t Records() {
    int64_t records = 0;
    DL_EXPECT_OK(store_.Scan(timeline_keys::Prefix("j"), [&](auto, auto) {
      ++records;
      return absl::OkStatus();
    }));
    return records;
  }

  MemoryMetaStore store_;
  TimelineRounds rounds_;
  StoredTimeline stored_{store_, "j"};
};

TEST_F(StoredRounds, NewestRoundsAreKept) {
  Commit(1, kTimelineRounds + 1500);
  EXPECT_EQ(stored_.Rounds()->first, 1000);
  EXPECT_EQ(stored_.Rounds()->last, kTimelineRounds + 1500);
  EXPECT_FALSE(stored_.Training(999)->has_value());
  EXPECT_TRUE(stored_.Training(1000)->has_value());
  EXPECT_FALSE(stored_.Evaluation(990)->has_value());
  EXPECT_TRUE(stored_.Evaluation(1000)->has_value());
  Commit(kTimelineRounds + 1501, kTimelineRounds + 5999);
  EXPECT_EQ(stored_.Rounds()->first, 5000);
  EXPECT_LE(Records(), (kTimelineRounds + 1000) * 11 / 10 + 1);
}

TEST_F(StoredRounds, RoundsAfterARollbackDoNotCount) {
  Commit(1, 30);
  RollBack(12);
  EXPECT_EQ(*stored_.Rounds(), (TimelineRounds{.first = 1, .last = 12}));
  Commit(13, 20);
  EXPECT_EQ(stored_.Rounds()->last, 20);
  Commit(21, 21);
  EXPECT_TRUE(stored_.Evaluation(20)->has_value());
  RollBack(0);
  EXPECT_EQ(*stored_.Rounds(), TimelineRounds());
}

TEST_F(StoredRounds, RoundComputedAgainHasNoOldEvaluation) {
  Commit(1, 12);
  RollBack(9);
  MetaBatch batch;
  AppendTraining(batch, "j", rounds_, 10, {.opened_unix_us = 77});
  DL_ASSERT_OK(store_.Write(batch));
  EXPECT_EQ((*stored_.Training(10))->opened_unix_us, 77);
  EXPECT_FALSE(stored_.Evaluation(10)->has_value());
}

// An earlier build computed the rounds before, or their records were lost.
TEST_F(StoredRounds, HoleBeginsTheTimelineAgain) {
  Commit(1, 5);
  Commit(9, 11);
  EXPECT_EQ(*stored_.Rounds(), (TimelineRounds{.first = 9, .last = 11}));
  EXPECT_FALSE(stored_.Training(5)->has_value());
}

TEST_F(StoredRounds, ExecutorsHaveNumbers) {
  MetaBatch batch;
  batch.Put(timeline_keys::Executor("j", 1), "a");
  batch.Put(timeline_keys::Executor("j", 4096), "b");
  DL_ASSERT_OK(store_.Write(batch));
  EXPECT_EQ(*stored_.Executors(), (std::map<std::string, int32_t>{{"a", 1}, {"b", 4096}}));
  EXPECT_EQ(*stored_.ExecutorName(4096), "b");
  EXPECT_EQ(*stored_.ExecutorName(7), "");
}

}  // namespace
}  // namespace dl::storage
