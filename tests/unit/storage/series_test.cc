// Rows of a job's series are folded and read back, with rollbacks at any time.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "storage/memory_meta_store.h"
#include "storage/series/round_row.h"
#include "storage/series/row_folding.h"
#include "storage/series/series_reader.h"
#include "tests/support/status_matchers.h"

namespace dl::storage {
namespace {

constexpr int32_t kLoss = 0, kTest = 1, kSize = 2;

// A job that writes rows as the core does, and a plain copy of what its series must be.
class SeriesJob {
 public:
  SeriesJob() {
    MetaBatch batch;
    columns_.columns = {{"train/loss"}, {"test/loss"}, {"layer/a/size", true}};
    batch.Put(series_keys::Columns(kId), RecordText(columns_));
    Write(batch);
  }

  MemoryMetaStore& store() { return store_; }
  int64_t rounds() const { return std::ssize(rows_); }

  // Commits the next round. The test loss has a value every tenth round.
  void Commit() {
    RoundRow row{.round = rounds() + 1};
    const auto noise = static_cast<float>(0.9 + 0.2 * random_.NextDouble());
    row.values.push_back({kLoss, noise / std::sqrt(static_cast<float>(row.round))});
    row.values.push_back({kSize, RoundToShort(noise)});
    AddRow(row);
    if (row.round % 10 != 0) return;
    if (folds_before_evaluations_) Fold();
    AddRow({.round = row.round, .is_addition = true, .values = {{kTest, noise}}});
  }
  void AddRow(const RoundRow& row) {
    MetaBatch batch;
    batch.Put(series_keys::Row(kId, place_++), EncodeRow(row));
    Write(batch);
    while (rounds() < row.round) rows_.emplace_back();
    rows_.back().insert(rows_.back().end(), row.values.begin(), row.values.end());
  }
  // Rounds after `round` no longer count. The next commit shows it.
  void RollBack(int64_t round) {
    if (round == rounds()) return;
    branches_.push_back({round + 1, {rows_.begin() + round, rows_.end()}});
    rows_.resize(static_cast<size_t>(round));
  }
  void FoldBeforeEvaluations() { folds_before_evaluations_ = true; }
  void Fold() {
    const auto batch = FoldRows(store_, kId);
    DL_ASSERT_OK(batch);
    Write(*batch);
  }

  void ExpectRead(int64_t first, int64_t last, int64_t max_entries) {
    const auto reader = SeriesReader::Open(store_, kId);
    DL_ASSERT_OK(reader);
    ASSERT_EQ(reader->rounds(), rounds());
    for (const int32_t series : {kLoss, kTest, kSize}) {
      const auto curve = reader->Read(series, first, last, max_entries);
      DL_ASSERT_OK(curve);
      ExpectCurve(*curve, Values(rows_, series), 1, series, max_entries);
    }
  }

  void ExpectBranches(int64_t max_entries) {
    const auto reader = SeriesReader::Open(store_, kId);
    DL_ASSERT_OK(reader);
    ASSERT_EQ(reader->branches().size(), branches_.size());
    for (size_t i = 0; i < branches_.size(); ++i) {
      const SeriesBranch& branch = reader->branches()[i];
      const auto& [first, rows] = branches_[i];
      ASSERT_EQ(branch,
                (SeriesBranch{static_cast<int64_t>(i) + 1, first, first + std::ssize(rows) - 1}));
      for (const int32_t series : {kLoss, kTest, kSize}) {
        const auto curve = reader->ReadBranch(branch, series, max_entries);
        DL_ASSERT_OK(curve);
        ExpectCurve(*curve, Values(rows, series), first, series, max_entries);
      }
    }
  }

  static constexpr char kId[] = "job-1";

 private:
  using Rows = std::vector<std::vector<RoundRow::Value>>;

  static std::vector<float> Values(const Rows& rows, int32_t series) {
    std::vector<float> values;
    for (const auto& row : rows) {
      const auto found = std::ranges::find(row, series, &RoundRow::Value::series);
      values.push_back(found == row.end() ? kNoValue : found->value);
    }
    return values;
  }

  // `values` are those of rounds from `first` on.
  void ExpectCurve(const Curve& curve, const std::vector<float>& values, int64_t first,
                   int32_t series, int64_t max_entries) {
    EXPECT_LE(std::ssize(curve.entries), max_entries);
    const int64_t rounds = RoundsOfEntry(curve.level);
    for (int64_t i = 0; i < std::ssize(curve.entries); ++i) {
      const int64_t from = curve.first - first + i * rounds;
      ASSERT_LT(from, std::ssize(values));
      const int64_t size = std::min(rounds, std::ssize(values) - from);
      const ValueSummary expected =
          Summarize(std::span(values).subspan(static_cast<size_t>(from), static_cast<size_t>(size)),
                    columns_.columns[static_cast<size_t>(series)].is_short);
      ValueSummary got = curve.entries[static_cast<size_t>(i)];
      if (expected.count > 0) {  // means are rounded at each level
        EXPECT_NEAR(got.mean, expected.mean, std::abs(expected.mean) / 40);
      }
      got.mean = expected.mean;
      ASSERT_EQ(got, expected) << "series " << series << ", level " << curve.level << ", entry "
                               << i << ": " << got.first << " " << got.count << " for "
                               << expected.first << " " << expected.count;
    }
  }

  void Write(const MetaBatch& batch) { DL_ASSERT_OK(store_.Write(batch)); }

  MemoryMetaStore store_;
  SeriesColumns columns_;
  int64_t place_ = 1;
  bool folds_before_evaluations_ = false;
  Rows rows_;
  std::vector<std::pair<int64_t, Rows>> branches_;
  RandomStream random_{{.seed = 7}};
};

TEST(Series, WithoutRowsAreEmpty) {
  MemoryMetaStore store;
  const auto reader = SeriesReader::Open(store, "job-2");
  DL_ASSERT_OK(reader);
  EXPECT_EQ(reader->rounds(), 0);
  EXPECT_TRUE(reader->columns().columns.empty());
  const auto batch = FoldRows(store, "job-2");
  DL_ASSERT_OK(batch);
  EXPECT_TRUE(batch->empty());
}

TEST(Series, FoldingMovesRowsAndChangesNoValue) {
  SeriesJob job;
  for (const int64_t rounds : {1, 63, 64, 65, 1000, 1024, 1025, 2100, 5000}) {
    while (job.rounds() < rounds) job.Commit();
    job.ExpectRead(1, INT64_MAX, 10'000);
    job.Fold();
    int64_t rows = 0;
    DL_ASSERT_OK(job.store().Scan(series_keys::RowPrefix(SeriesJob::kId),
                                  [&](std::string_view, std::string_view) {
                                    ++rows;
                                    return absl::OkStatus();
                                  }));
    EXPECT_EQ(rows, rounds % 10 == 0 ? 2 : 1);  // of the last round
    job.ExpectRead(1, INT64_MAX, 10'000);
    job.ExpectRead(1, INT64_MAX, 16);
  }
}

TEST(Series, EvaluationAfterAFoldBelongsToItsRound) {
  SeriesJob job;
  job.FoldBeforeEvaluations();
  while (job.rounds() < 1100) job.Commit();
  job.ExpectRead(1, INT64_MAX, 10'000);
  job.RollBack(1039);  // the round after is evaluated again
  while (job.rounds() < 1101) job.Commit();
  job.ExpectRead(1, INT64_MAX, 10'000);
  job.ExpectBranches(10'000);
}

TEST(Series, RollbackKeepsTheRemovedRoundsAsABranch) {
  SeriesJob job;
  while (job.rounds() < 3000) job.Commit();
  job.Fold();
  while (job.rounds() < 3100) job.Commit();
  job.RollBack(1500);  // rounds of blocks and of rows
  while (job.rounds() < 1510) job.Commit();
  job.ExpectRead(1, INT64_MAX, 10'000);
  job.ExpectBranches(10'000);
  job.Fold();
  job.ExpectRead(1, INT64_MAX, 10'000);
  job.ExpectRead(1, INT64_MAX, 20);
  job.ExpectBranches(20);
}

TEST(Series, LostRowsAreRoundsWithoutValues) {
  SeriesJob job;
  job.Commit();
  job.AddRow({.round = 100'001, .values = {{kLoss, 0.5F}}});
  job.Commit();
  job.Fold();
  job.Fold();
  job.ExpectRead(1, INT64_MAX, 200'000);
  job.ExpectRead(1, INT64_MAX, 100);
  job.ExpectRead(99'000, INT64_MAX, 100);
}

TEST(Series, AnyOrderOfCommitsFoldsAndRollbacksGivesTheRoundsThatCount) {
  RandomStream random({.seed = 11});
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random.Bounded(static_cast<uint64_t>(n)));
  };
  for (int run = 0; run < 12; ++run) {
    SeriesJob job;
    int64_t unfolded = 0;
    for (int action = 0; action < 25; ++action) {
      const int64_t commits = below(4) == 0 ? below(3000) : below(90);
      for (int64_t i = 0; i < commits; ++i) job.Commit();
      unfolded += commits;
      if (below(2) == 0 || unfolded > 1000) {
        job.Fold();
        unfolded = 0;
      }
      if (below(5) == 0 && job.rounds() > 0) {
        job.RollBack(std::max<int64_t>(0, job.rounds() - 1 - below(below(3) == 0 ? 4000 : 30)));
        job.Commit();
      }
      if (testing::Test::HasFatalFailure()) return;
      const int64_t first = 1 + below(job.rounds() + 1);
      job.ExpectRead(first, first + below(5000), 2 + below(300));
    }
    job.ExpectRead(1, INT64_MAX, 1 << 20);
    job.ExpectBranches(2 + below(3000));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Series, ManyRollbacksKeepTheNewestBranches) {
  SeriesJob job;
  for (int64_t i = 0; i < 130; ++i) {
    job.Commit();
    job.Commit();
    job.RollBack(job.rounds() - 1);
  }
  job.Commit();
  job.Fold();
  const auto reader = SeriesReader::Open(job.store(), SeriesJob::kId);
  DL_ASSERT_OK(reader);
  ASSERT_EQ(reader->branches().size(), kBranchesKept);
  EXPECT_EQ(reader->branches().back().number, 130);
  job.ExpectRead(1, INT64_MAX, 1000);
}

TEST(Series, DamagedRecordsAreDataLoss) {
  SeriesJob job;
  while (job.rounds() < 2000) job.Commit();
  job.Fold();
  job.Commit();
  std::vector<std::string> keys;
  DL_ASSERT_OK(job.store().Scan(series_keys::Prefix(SeriesJob::kId),
                                [&](std::string_view key, std::string_view) {
                                  keys.emplace_back(key);
                                  return absl::OkStatus();
                                }));
  for (const std::string& key : keys) {
    if (key.find("/level") != std::string::npos && key.find("/level03") == std::string::npos)
      continue;  // not read for 2,000 rounds
    const auto before = job.store().Get(key);
    DL_ASSERT_OK(before);
    MetaBatch damage;
    damage.Put(key, "damaged!!");
    DL_ASSERT_OK(job.store().Write(damage));
    Status status;
    const auto reader = SeriesReader::Open(job.store(), SeriesJob::kId);
    status.Update(reader.status());
    for (int32_t series = 0; reader.ok() && series < 3; ++series) {
      status.Update(reader->Read(series, 1, 2001, 4000).status());
      status.Update(reader->Read(series, 1, 2001, 40).status());
    }
    EXPECT_TRUE(absl::IsDataLoss(status)) << key;
    MetaBatch repair;
    repair.Put(key, **before);
    DL_ASSERT_OK(job.store().Write(repair));
  }
}

// A job with 40 series: the loss and a metric in full precision, others rounded. Every value has
// noise, as measured values have.
TEST(Series, TakeAtMost64BytesARound) {
  constexpr int64_t kRounds = 32'768;
  constexpr int32_t kSeries = 40;
  MemoryMetaStore store;
  SeriesColumns columns;
  for (int32_t i = 0; i < kSeries; ++i)
    columns.columns.push_back({absl::StrCat("series-", i), i >= 2});
  MetaBatch first;
  first.Put(series_keys::Columns("job-1"), RecordText(columns));
  DL_ASSERT_OK(store.Write(first));
  RandomStream random({.seed = 5});
  for (int64_t round = 1; round <= kRounds; ++round) {
    RoundRow row{.round = round};
    for (int32_t i = 0; i < kSeries; ++i) {
      const float value = static_cast<float>(1 + 0.1 * random.NextNormal()) /
                          std::sqrt(static_cast<float>(round)) *
                          std::pow(3.0F, static_cast<float>(i % 8));
      row.values.push_back({i, i >= 2 ? RoundToShort(value) : value});
    }
    MetaBatch batch;
    batch.Put(series_keys::Row("job-1", round), EncodeRow(row));
    DL_ASSERT_OK(store.Write(batch));
    if (round % kBlockRounds != 0) continue;
    const auto folded = FoldRows(store, "job-1");
    DL_ASSERT_OK(folded);
    DL_ASSERT_OK(store.Write(*folded));
  }
  int64_t bytes = 0;
  DL_ASSERT_OK(
      store.Scan(series_keys::Prefix("job-1"), [&](std::string_view key, std::string_view value) {
        bytes += static_cast<int64_t>(key.size() + value.size());
        return absl::OkStatus();
      }));
  RecordProperty("bytes_per_round", absl::StrCat(static_cast<double>(bytes) / kRounds));
  EXPECT_LE(static_cast<double>(bytes) / kRounds, 64);
}

}  // namespace
}  // namespace dl::storage
