// Measures the figures of a job by round (storage/series) in a real store: 40 series, two with full
// precision, all with noise. Rows are written and folded as a master does, but without its other
// records.
//
// bench series [--rounds N]: prints a JSON line for 100 rounds and one for N (default 1,000,000).
// `bytes_per_round` counts keys and values after the last fold. `fold_us` is the processor time of
// folding for a round. `read_ms` is the time to open the job and to read all series in at most
// 1,000 entries each; the least of 20.
//
// bench series --data-dir DIR --job JOB [--rounds N]: replaces the figures of a job of a data
// folder, which no process may use, by those of N rounds. For trials of the pages with long jobs.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/philox.h"
#include "base/thread.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "bench/temporary_folder.h"
#include "cli/flags.h"
#include "storage/rocks_meta_store.h"
#include "storage/series/round_row.h"
#include "storage/series/row_folding.h"
#include "storage/series/series_reader.h"

namespace dl::bench {
namespace series_bench {
namespace {

// The series of a job with layers, as a master names them; the first ones have full precision.
constexpr const char* kNames[] = {
    "train/loss",
    "test/loss",
    "train/accuracy",
    "test/accuracy",
    "learning_rate",
    "round_seconds",
    "bytes/fetched",
    "bytes/contributed",
    "test/macro_f1",
    "test/macro_recall",
    "test/kappa",
    "test/mcc",
    "test/roc_auc",
    "test/macro_precision",
    "test/average_precision",
    "examples_per_second",
};
constexpr int32_t kSeries = 40, kExact = 2;
constexpr int64_t kRowsOfBatch = 1024, kEntries = 1000;

std::string NameOf(int32_t series) {
  constexpr auto kNamed = static_cast<int32_t>(std::size(kNames));
  return series < kNamed ? kNames[series] : absl::StrCat("layer/", series - kNamed, "/change");
}

class SeriesOfJob {
 public:
  explicit SeriesOfJob(std::string job) : job_(std::move(job)) {}

  // Writes the figures into a store, instead of those that it has of the job.
  Status Write(const std::string& meta, int64_t rounds) {
    DL_ASSIGN_OR_RETURN(store_, storage::RocksMetaStore::Open(meta, {}));
    storage::MetaBatch columns;
    columns.DeletePrefix(storage::series_keys::Prefix(job_));
    storage::SeriesColumns names;
    for (int32_t i = 0; i < kSeries; ++i) names.columns.push_back({NameOf(i), i >= kExact});
    columns.Put(storage::series_keys::Columns(job_), RecordText(names));
    DL_RETURN_IF_ERROR(store_->Write(columns));
    while (round_ < rounds) DL_RETURN_IF_ERROR(Commit(std::min(rounds, round_ + kRowsOfBatch)));
    return absl::OkStatus();
  }

  // Writes them into a new store, and prints what they cost.
  Status Measure(int64_t rounds) {
    const TemporaryFolder folder;
    DL_RETURN_IF_ERROR(Write(folder.path() + "/meta", rounds));
    Json line = {{"bench", "series"}, {"rounds", rounds}, {"series", kSeries}};
    DL_ASSIGN_OR_RETURN(const int64_t bytes, Bytes());
    line["bytes_per_round"] = static_cast<double>(bytes) / static_cast<double>(rounds);
    line["fold_us"] = 1e6 * Seconds(folding_) / static_cast<double>(rounds);
    DL_ASSIGN_OR_RETURN(line["read_ms"], ReadAll());
    std::cout << line.dump() << std::endl;
    store_.reset();  // before its folder
    return absl::OkStatus();
  }

 private:
  // Writes the rows of rounds up to `last` in one batch, and folds them.
  Status Commit(int64_t last) {
    storage::MetaBatch rows;
    while (round_ < last) {
      storage::RoundRow row{.round = ++round_};
      for (int32_t i = 0; i < kSeries; ++i) {
        const float value = static_cast<float>(1 + 0.1 * random_.NextNormal()) /
                            std::sqrt(static_cast<float>(round_));
        row.values.push_back({i, i >= kExact ? storage::RoundToShort(value) : value});
      }
      rows.Put(storage::series_keys::Row(job_, round_), storage::EncodeRow(row));
    }
    DL_RETURN_IF_ERROR(store_->Write(rows));
    const Duration before = ThreadTime();
    DL_ASSIGN_OR_RETURN(const storage::MetaBatch folded, storage::FoldRows(*store_, job_));
    folding_ += ThreadTime() - before;
    return store_->Write(folded);
  }

  StatusOr<int64_t> Bytes() {
    int64_t bytes = 0;
    DL_RETURN_IF_ERROR(store_->Scan(storage::series_keys::Prefix(job_),
                                    [&](std::string_view key, std::string_view value) {
                                      bytes += static_cast<int64_t>(key.size() + value.size());
                                      return absl::OkStatus();
                                    }));
    return bytes;
  }

  StatusOr<double> ReadAll() {
    double least = INFINITY;
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Instant begin = Clock::Real().Now();
      DL_ASSIGN_OR_RETURN(const storage::SeriesReader reader,
                          storage::SeriesReader::Open(*store_, job_));
      for (int32_t i = 0; i < kSeries; ++i)
        DL_RETURN_IF_ERROR(reader.Read(i, 1, INT64_MAX, kEntries).status());
      least = std::min(least, 1e3 * Seconds(Clock::Real().Now() - begin));
    }
    return least;
  }

  const std::string job_;
  std::unique_ptr<storage::RocksMetaStore> store_;
  int64_t round_ = 0;
  Duration folding_{};
  RandomStream random_{{.seed = 1}};
};

}  // namespace
}  // namespace series_bench

int RunSeries(int argc, char** argv) {
  using namespace series_bench;
  int64_t rounds = 1'000'000;
  cli::Flags flags("bench series", "The figures of a job by round in a real store");
  std::string data_dir, job;
  flags.Integer("--rounds", "N", rounds, "Rounds of the long job", 1, 100'000'000);
  flags.Text("--data-dir", "DIR", data_dir, "Write the figures into this data folder");
  flags.Text("--job", "JOB", job, "Job of the data folder");
  return RunProgram(argc, argv, flags, [&]() -> Status {
    if (data_dir.empty() != job.empty())
      return InvalidArgument({.message = "--data-dir and --job belong together"});
    if (!data_dir.empty()) return SeriesOfJob(job).Write(data_dir + "/meta", rounds);
    DL_RETURN_IF_ERROR(SeriesOfJob("job-1").Measure(100));
    return SeriesOfJob("job-1").Measure(rounds);
  });
}

}  // namespace dl::bench
