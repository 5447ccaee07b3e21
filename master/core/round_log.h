// Records of a job's hash-chained round log: what happened, in order, and nothing that depends on
// the cluster, unless it computed wrongly. Two runs of one job have the same chain. docs/formats.md
// describes the JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "averaging/accumulator.h"
#include "base/json.h"
#include "base/status.h"
#include "nn/metrics/metric_sums.h"

namespace dl::master {

// The state of a committed round by the names of its parts.
struct StateNames {
  std::string state_sha256;                // of the whole, canonical form: what users compare
  std::string global_sha256;               // the global part
  std::vector<std::string> worker_sha256;  // keep: one per worker

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
  uint64_t hash = 0;     // Announcement::digest; see LogRecord::whole_hashes
  int64_t examples = 0;  // its weight in the merge
};

struct LogRecord {
  RecordType type = RecordType::kCommit;
  int64_t round = 0;
  std::string previous;  // SHA-256 of the previous record's JSON; empty for the first

  // kStart, kRebind
  std::string contract;
  // kStart, kCommit
  StateNames names;
  // kCommit
  std::vector<CommittedUnit> units;
  // The units' hashes cover all that was announced; false in records of the first version, where
  // they are those of the contributions' bytes.
  bool whole_hashes = false;
  averaging::GridExponents exponents;
  uint64_t epoch_hash_sum = 0;  // example hashes of this epoch so far
  nn::MetricSums epoch_train;   // training metrics of this epoch so far
  // kEvaluation
  nn::MetricSums test;
  double best_value = 0;  // the controller's memory after this decision
  int64_t best_round = -1;
  int64_t epochs_without_gain = 0;
  int32_t stop = 0;  // 1: the job ends here
  // kRollback: quarantined ones whose word alone the rounds rest on; empty: a result that
  // contradicts one of them
  std::vector<std::string> executors;
};

Json ToJson(const LogRecord& record);
StatusOr<LogRecord> LogRecordFromJson(const Json& json, std::string_view where);

// Whether the records tell one run: a start, then rounds 1, 2, ..., evaluations and rebinds of the
// round before them. DataLoss names the job and the first record out of place. The hashes of the
// chain are not looked at here.
Status CheckLog(const std::vector<LogRecord>& log, std::string_view job);

// A job's log as it was read.
struct JobLog {
  std::vector<LogRecord> records;  // in order: all, or those that "ended/ID" has
  int64_t length = 0;              // of the whole log
  std::string last_sha256;         // SHA-256 of its last record's JSON; empty without records
};

// What is kept of the log of a job that ended ("ended/ID"), so that a start has not to read all its
// rounds: see docs/formats.md. DataLoss as LogRecordFromJson.
Json ToJson(const JobLog& log);
StatusOr<JobLog> JobLogFromJson(const Json& json, std::string_view where);

Json ToJson(const StateNames& names);
Status StateNamesFromJson(const Json& json, const std::string& path, StateNames& out);

}  // namespace dl::master
