// Records of a job's hash-chained round log: what happened, in order, and nothing that depends on
// the cluster, unless it computed wrongly. Two runs of one job have the same chain. docs/formats.md
// describes the JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "averaging/accumulator.h"
#include "base/json.h"
#include "base/status.h"
#include "nn/metrics/metric_sums.h"

namespace dl::master {

// The state of a committed round by the names of its parts.
struct StateNames {
  std::string state_sha256;                  // StateSha256 of the parts: what users compare
  std::map<std::string, std::string> parts;  // by key ("model", "updater-3"): SHA-256

  bool operator==(const StateNames&) const = default;
};

enum class RecordType : uint8_t {
  kStart = 1,
  kCommit = 2,
  kEvaluation = 3,
  kRebind = 4,
  kRollback = 5,  // rounds behind `round` do not count
};

struct CommittedUnit {
  int32_t worker = 0;
  uint64_t hash = 0;     // Announcement::digest
  int64_t examples = 0;  // its weight in the merge
};

struct LogRecord {
  int64_t place = -1;  // in the log, counted from 0; known by where it is stored
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
  // kCommit: behind so many the round was computed. kEvaluation: after this decision.
  int64_t plateaus = 0;
  // kEvaluation
  nn::MetricSums test;
  double best_value = 0;  // the controller's memory after this decision
  int64_t best_round = -1;
  int64_t epochs_without_gain = 0;
  int32_t stop = 0;          // 1: the job ends here
  double plateau_value = 0;  // likewise, of a rate that follows a metric
  int64_t plateau_round = -1;
  int64_t plateau_epochs = 0;
  // kRollback: quarantined ones whose word alone the rounds rest on; empty: a result that
  // contradicts one of them
  std::vector<std::string> executors;
};

Json ToJson(const LogRecord& record);
// JsonText of it, as it is stored. Of 4,096 units the document alone would take the core 6 ms.
std::string TextOf(const LogRecord& record);
// DataLoss when it is damaged, VersionMismatch when a newer build wrote it; `where` names it.
StatusOr<LogRecord> LogRecordFromJson(const Json& json, std::string_view where);

// Whether the records tell one run: a start, then rounds 1, 2, ..., evaluations and rebinds of the
// round before them. DataLoss names the job and the first record out of place. The hashes of the
// chain are not looked at here.
Status CheckLog(const std::vector<LogRecord>& log, std::string_view job);

// Where a log ends and what counts there ("head/ID"), written with each record: who goes on with a
// job has not to read all of its rounds.
struct LogHead {
  static constexpr int64_t kNone = -1;
  static constexpr int64_t kUnknown = -2;  // the job went back: the log itself has to say

  int64_t length = 0;
  std::string last_sha256;  // SHA-256 of the last record's JSON; empty without records
  std::string contract;     // of the last start or rebind
  // From which round on what counts was computed under which contract, ascending: one entry, and
  // one for each rebind. Rounds before the first: a build that did not write it down began the job.
  struct Bound {
    int64_t from = 0;
    std::string contract;

    bool operator==(const Bound&) const = default;
  };
  std::vector<Bound> bounds;
  // Places of the last commit (or start) and of the last evaluation that count.
  int64_t commit = kNone;
  int64_t evaluation = kNone;

  // That `record`, whose JSON has that SHA-256, is the log's next one; returns its place.
  int64_t Append(const LogRecord& record, std::string sha256);
  // The contract that a round which counts was computed under; empty where only the log says it.
  std::string ContractOf(int64_t round) const;
  // The rounds from `first` to `last` that count were computed under that contract.
  bool AreUnder(const std::string& wanted, int64_t first, int64_t last) const;
};
Json ToJson(const LogHead& head);
// Errors as LogRecordFromJson.
StatusOr<LogHead> LogHeadFromJson(const Json& json, std::string_view where);

// What was read of a job's log.
struct JobLog {
  LogHead head;
  bool whole = false;              // all of it; else the records that the head names
  std::vector<LogRecord> records;  // in order
};

// A stretch of the log, from a committed round to the end of what counts.
struct LogStretch {
  int64_t first_round = 0;
  std::vector<int64_t> places;          // of the commits of first_round, first_round + 1, ...
  int64_t evaluation = LogHead::kNone;  // place of the last evaluation in it
  std::vector<LogRecord> commits;       // of them the last ones, and those around the asked round
  std::vector<LogRecord> evaluations;   // the last one, and of the rounds that were asked for
};

Json ToJson(const StateNames& names);
Status StateNamesFromJson(const Json& json, const std::string& path, StateNames& out);

}  // namespace dl::master
