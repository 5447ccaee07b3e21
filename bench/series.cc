// Measures the figures of a job by round (storage/series) in a real store: 40 series, two with full
// precision, all with noise. Rows are written and folded as a master does, but without its other
// records.
//
// bench series [--rounds N]: prints a JSON line for 100 rounds and one for N (default 1,000,000).
// `bytes_per_round` counts keys and values after the last fold. `fold_us` is the processor time of
// folding for a round. `read_ms` is the time to open the job and to read all series in at most
// 1,000 entries each; the least of 20.
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

constexpr char kJob[] = "job-1";
constexpr int32_t kSeries = 40, kExact = 2;
constexpr int64_t kRowsOfBatch = 1024, kEntries = 1000;

class SeriesOfJob {
 public:
  Status Run(int64_t rounds) {
    DL_ASSIGN_OR_RETURN(store_, storage::RocksMetaStore::Open(folder_.path() + "/meta", {}));
    storage::MetaBatch columns;
    storage::SeriesColumns names;
    for (int32_t i = 0; i < kSeries; ++i)
      names.columns.push_back({absl::StrCat("series-", i), i >= kExact});
    columns.Put(storage::series_keys::Columns(kJob), RecordText(names));
    DL_RETURN_IF_ERROR(store_->Write(columns));
    while (round_ < rounds) DL_RETURN_IF_ERROR(Commit(std::min(rounds, round_ + kRowsOfBatch)));
    Json line = {{"bench", "series"}, {"rounds", rounds}, {"series", kSeries}};
    DL_ASSIGN_OR_RETURN(const int64_t bytes, Bytes());
    line["bytes_per_round"] = static_cast<double>(bytes) / static_cast<double>(rounds);
    line["fold_us"] = 1e6 * Seconds(folding_) / static_cast<double>(rounds);
    DL_ASSIGN_OR_RETURN(line["read_ms"], ReadAll());
    std::cout << line.dump() << std::endl;
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
      rows.Put(storage::series_keys::Row(kJob, round_), storage::EncodeRow(row));
    }
    DL_RETURN_IF_ERROR(store_->Write(rows));
    const Duration before = ThreadTime();
    DL_ASSIGN_OR_RETURN(const storage::MetaBatch folded, storage::FoldRows(*store_, kJob));
    folding_ += ThreadTime() - before;
    return store_->Write(folded);
  }

  StatusOr<int64_t> Bytes() {
    int64_t bytes = 0;
    DL_RETURN_IF_ERROR(store_->Scan(storage::series_keys::Prefix(kJob),
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
                          storage::SeriesReader::Open(*store_, kJob));
      for (int32_t i = 0; i < kSeries; ++i)
        DL_RETURN_IF_ERROR(reader.Read(i, 1, INT64_MAX, kEntries).status());
      least = std::min(least, 1e3 * Seconds(Clock::Real().Now() - begin));
    }
    return least;
  }

  TemporaryFolder folder_;
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
  flags.Integer("--rounds", "N", rounds, "Rounds of the long job", 1, 100'000'000);
  return RunProgram(argc, argv, flags, [&]() -> Status {
    DL_RETURN_IF_ERROR(SeriesOfJob().Run(100));
    return SeriesOfJob().Run(rounds);
  });
}

}  // namespace dl::bench
