// Recorded rounds thin out with their age, and a rollback writes them again.
#include "storage/series/histogram_records.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/memory_meta_store.h"
#include "storage/series/series_records.h"
#include "tests/support/status_matchers.h"

namespace dl::storage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class HistogramRecords : public testing::Test {
 protected:
  // Records a round whose only parameter histogram counts `round` values.
  void Record(int64_t round, bool with_activations = true) {
    const std::vector<LayerHistogram> histograms = {
        {.layer = "a", .values = {.buckets = {{.index = 1, .count = round}}}}};
    const std::string bytes = EncodeHistograms(histograms);
    MetaBatch batch;
    RecordHistograms("j", every_, round, {bytes, bytes, with_activations ? bytes : ""}, batch);
    DL_ASSERT_OK(store_.Write(batch));
  }
  std::set<int64_t> StoredRounds() {
    std::set<int64_t> rounds;
    const std::string prefix = series_keys::Prefix("j") + "histograms/";
    EXPECT_TRUE(store_
                    .Scan(prefix,
                          [&](std::string_view key, std::string_view) -> Status {
                            rounds.insert(std::stoll(std::string(key.substr(prefix.size(), 12))));
                            return absl::OkStatus();
                          })
                    .ok());
    return rounds;
  }
  std::vector<int64_t> Kept(int64_t first = 1, int64_t last = INT64_MAX) {
    const auto rounds = stored_.Rounds();
    EXPECT_TRUE(rounds.ok());
    return KeptRounds(*rounds, first, last);
  }
  int64_t ValuesIn(int64_t round, std::string_view kind) {
    const auto layers = stored_.Read(round, kind);
    EXPECT_TRUE(layers.ok());
    return layers->empty() ? 0 : ValuesOf(layers->front().values);
  }

  int64_t every_ = 1;
  MemoryMetaStore store_;
  StoredHistograms stored_{store_, "j"};
};

TEST_F(HistogramRecords, AbsentRecordsAreEmpty) {
  const auto rounds = stored_.Rounds();
  DL_ASSERT_OK(rounds);
  EXPECT_EQ(*rounds, HistogramRounds());
  EXPECT_THAT(Kept(), IsEmpty());
  EXPECT_EQ(ValuesIn(1, "parameters"), 0);
}

TEST_F(HistogramRecords, KeptRoundsAreThoseThatAreStored) {
  for (const int64_t every : {1, 10}) {
    every_ = every;
    MetaBatch batch;
    batch.DeletePrefix(series_keys::Prefix("j"));
    DL_ASSERT_OK(store_.Write(batch));
    for (int64_t i = 0; i < 3000; ++i) {
      Record(1 + i * every);
      if (i > 200 && i % 97 != 0) continue;
      const std::vector<int64_t> kept = Kept();
      const std::set<int64_t> stored = StoredRounds();
      ASSERT_EQ(std::set<int64_t>(kept.begin(), kept.end()), stored) << "after " << i;
    }
    EXPECT_EQ(ValuesIn(1, "changes"), 1);
    EXPECT_EQ(ValuesIn(1 + 2999 * every, "activations"), 1 + 2999 * every);
    EXPECT_EQ(Kept(1 + 2990 * every, 1 + 2995 * every).size(), 6);
  }
}

TEST_F(HistogramRecords, NumberGrowsWithTheLogarithmOfTheRounds) {
  EXPECT_EQ(KeptRounds({.every = 1, .last = 64}, 1, INT64_MAX).size(), 64);
  EXPECT_LE(KeptRounds({.every = 1, .last = 1'000'000}, 1, INT64_MAX).size(), 520);
  EXPECT_LE(KeptRounds({.every = 1, .last = int64_t{1} << 40}, 1, INT64_MAX).size(), 1200);
  // Neighbours of a kept round are at most as far as a 32nd of its age.
  const std::vector<int64_t> kept = KeptRounds({.every = 1, .last = 100'000}, 1, INT64_MAX);
  for (size_t i = 1; i < kept.size(); ++i)
    EXPECT_LE(kept[i] - kept[i - 1], 1 + (100'000 - kept[i - 1]) / 32) << kept[i];
}

TEST_F(HistogramRecords, RoundsAreWrittenAgainAfterARollback) {
  for (int64_t round = 1; round <= 200; ++round) Record(round);
  Record(101, false);
  EXPECT_EQ(Kept().back(), 101);
  EXPECT_EQ(ValuesIn(101, "parameters"), 101);
  EXPECT_EQ(ValuesIn(101, "activations"), 0) << "of the round that was rolled back";
  for (int64_t round = 102; round <= 400; ++round) Record(round);
  const std::vector<int64_t> kept = Kept();
  const std::set<int64_t> stored = StoredRounds();
  EXPECT_EQ(*stored.rbegin(), 400);
  // Round 200 had replaced some rounds that round 101 would still keep.
  for (const int64_t round : stored) EXPECT_THAT(kept, testing::Contains(round));
}

TEST_F(HistogramRecords, DamageIsAnError) {
  Record(1);
  MetaBatch batch;
  batch.Put(histogram_keys::Round("j", 1, "parameters"), "\x07");
  batch.Put(histogram_keys::Rounds("j"), R"({"format":1,"every":0,"last":1})");
  DL_ASSERT_OK(store_.Write(batch));
  EXPECT_TRUE(absl::IsDataLoss(stored_.Read(1, "parameters").status()));
  EXPECT_TRUE(absl::IsDataLoss(stored_.Rounds().status()));
}

}  // namespace
}  // namespace dl::storage
