// Records of a job's hash-chained round log. They depend on the executors only through the kernel
// contract, and after wrong results. Otherwise, two runs of a job have the same chain.
// records/log_record.h converts them to JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "averaging/accumulator.h"
#include "base/status.h"
#include "nn/metrics/metric_sums.h"

namespace dl::master {

// The state of a committed round, as the names of its parts.
struct StateNames {
  std::string state_sha256;  // StateSha256 of the parts; the name that users compare
  std::map<std::string, std::string> parts;  // SHA-256 by key ("model", "updater-3")

  bool operator==(const StateNames&) const = default;
};

enum class RecordType : uint8_t {
  kStart = 1,
  kCommit = 2,
  kEvaluation = 3,
  kRebind = 4,
  kRollback = 5,  // rounds after `round` no longer count
};

struct CommittedUnit {
  int32_t worker = 0;
  uint64_t hash = 0;     // Announcement::digest
  int64_t examples = 0;  // weight in the merge
};

struct LogRecord {
  int64_t place = -1;  // index in the log, counted from 0; not part of the JSON
  RecordType type = RecordType::kCommit;
  int64_t round = 0;
  std::string previous;  // SHA-256 of the previous record's JSON; empty for the first

  // kStart, kRebind
  std::string contract;
  // kStart, kCommit
  StateNames names;
  // kCommit
  std::vector<CommittedUnit> units;
  averaging::GridExponents exponents;
  uint64_t epoch_hash_sum = 0;  // example hashes of this epoch so far
  nn::MetricSums epoch_train;   // training metrics of this epoch so far
  // kCommit: plateaus before the round. kEvaluation: plateaus after the decision.
  int64_t plateaus = 0;
  // kEvaluation
  nn::MetricSums test;
  // The value that early stopping judges, if it cannot be computed from the parts of `test` that
  // are kept.
  std::optional<double> judged;
  double best_value = 0;  // state of early stopping after this decision
  int64_t best_round = -1;
  int64_t epochs_without_gain = 0;
  int32_t stop = 0;          // 1: the job stops here
  double plateau_value = 0;  // state of the plateau policy after this decision
  int64_t plateau_round = -1;
  int64_t plateau_epochs = 0;
  // kRollback: quarantined executors on whose unconfirmed results the rounds rest. Empty: another
  // reason, for example a result that contradicts a committed one.
  std::vector<std::string> executors;
};

// Checks that the records form one run: a start, then rounds 1, 2, ..., with evaluations and
// rebinds after their round. After a rollback to round r, the next commit is of round r + 1.
// Returns DataLoss with the job and the first misplaced record. Does not check the hashes of the
// chain.
Status CheckLog(const std::vector<LogRecord>& log, std::string_view job);

// The end of a log and what counts there ("head/ID"), written with each record, so that a job can
// continue without reading its whole log.
struct LogHead {
  static constexpr int64_t kNone = -1;
  static constexpr int64_t kUnknown = -2;  // after a rollback, when only the log itself shows it

  int64_t length = 0;
  std::string last_sha256;  // SHA-256 of the last record's JSON; empty without records
  std::string contract;     // contract of the last start or rebind
  // Kernel contract by first round, ascending: an entry for each change of the contract in the
  // rounds that count. Older builds recorded no contracts, so there may be none for early rounds.
  struct Bound {
    int64_t from = 0;
    std::string contract;

    bool operator==(const Bound&) const = default;
  };
  std::vector<Bound> bounds;
  // Indices of the last commit (or start) and of the last evaluation that count.
  int64_t commit = kNone;
  int64_t evaluation = kNone;

  // Updates the head after `record`, whose JSON has this SHA-256. Returns the record's index.
  int64_t Append(const LogRecord& record, std::string sha256);
  // Returns the contract of a round that counts; empty if only the log has it.
  std::string ContractOf(int64_t round) const;
  // Whether the rounds from `first` to `last` that count were computed under that contract. Without
  // entries in `bounds`, compares only the last contract.
  bool AreUnder(const std::string& wanted, int64_t first, int64_t last) const;
};

// The part of a job's log that was read.
struct JobLog {
  LogHead head;
  bool whole = false;  // the whole log; otherwise the records that the head names
  // In the order of the log if `whole`; otherwise the commit, then the evaluation.
  std::vector<LogRecord> records;
};

// A range of the log, from a committed round to the end of what counts.
struct LogStretch {
  int64_t first_round = 0;
  std::vector<int64_t> places;     // indices of the commits of first_round, first_round + 1, ...
  std::vector<LogRecord> commits;  // the last ones, and those around the requested round
  std::vector<LogRecord> evaluations;  // the last one, and those of requested rounds
};

}  // namespace dl::master
