// One job as the core holds it: what is durable, and the open round or evaluation, which never is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "master/core/definition.h"
#include "master/core/early_stopping.h"
#include "master/core/events.h"
#include "master/core/job_state.h"
#include "master/core/round_log.h"
#include "master/core/unit.h"

namespace dl::master {

struct CheckpointInfo {
  int64_t round = 0;
  StateNames names;
  std::string manifest;  // of storage's checkpoint store
  bool pinned = false;
  bool unusable = false;  // could not be loaded in this life of the master: as if it were not
                          // there, replaced when possible
};

// The job's durable record ("job/ID"), rewritten at each change of state.
struct JobRecord {
  JobState state = JobState::kQueued;
  Reason reason = Reason::kNone;
  std::string message;
  Status error;  // FAILED and REJECTED: what the user is told
  int64_t attempt = 1;
  std::string contract;  // kernel contract; empty until executors decided it
  int64_t submitted_unix_ms = 0;
  std::string resume_from;      // the checkpoint it began from, "JOB@ROUND": full state
  std::string init_from;        // likewise: weights only
  int64_t earlier_updates = 0;  // that the updater's state at round 0 has seen: of resume_from
  double wall_seconds = 0;      // spent running in earlier lives of the master
  int64_t rollbacks = 0;        // how often it went back behind committed rounds
};

enum class Phase : uint8_t {
  kIdle,           // queued or terminal
  kPreparing,      // the engine makes or loads a state
  kOffers,         // after a restart: executors may hold what no checkpoint has
  kTraining,       // a round is open
  kMerging,        // its contributions are being merged
  kEvaluating,     // the test set is being measured on the state of `at`
  kCheckpointing,  // an epoch's end that is to be kept waits for the disk
  kFinishing,      // the last checkpoint is being written
};

struct Job {
  Status damage;  // of its stored documents: it is shown, stays as it is stored, and nothing can be
                  // asked of it in this life of the master
  JobDefinition definition;
  JobRecord record;
  Phase phase = Phase::kIdle;

  // Durable facts, from the round log.
  int64_t log_length = 0;
  std::string last_record_sha256;
  int64_t committed = -1;  // last committed round; -1 before the start record
  std::map<int64_t, LogRecord>
      commits;  // start and commit records by round: replay compares with them
  std::map<int64_t, LogRecord> evaluations;  // by round
  std::map<int64_t, CheckpointInfo> checkpoints;
  std::map<int64_t, Instant> being_read;  // checkpoints by round: kept for a reader until then
  BestSoFar best;
  bool stop_decided = false;

  // Where the engine is: the round whose state it holds. Below `committed` while replaying.
  int64_t at = -1;
  StateNames names;             // of `at`
  uint64_t epoch_hash_sum = 0;  // of the epoch that `at` lies in or ends
  nn::MetricSums epoch_train;

  // Executors whose word alone a committed round rests on, with the first such round; durable.
  std::map<std::string, int64_t> unverified_since;
  bool unverified_changed = false;
  // Who gave what a committed round is made of: round -> worker -> executors. Recent ones, of this
  // life.
  std::map<int64_t, std::map<int32_t, std::vector<std::string>>> voters;
  std::map<UnitId, std::vector<UnitResult>> votes;  // known before the unit's round is open

  std::map<int32_t, Unit> units;             // of the open round or evaluation, by index
  averaging::GridExponents grid;             // of the merge under way
  Instant offers_until, offers_limit;        // kOffers; the second when everything was offered
  std::map<std::string, bool> wanted_parts;  // kOffers: SHA-256 -> arrived
  PrepareState::Source preparing{};          // kPreparing: from what
  uint64_t preparation = 0;                  // kPreparing: its number
  uint64_t merge = 0;                        // kMerging: its number
  int64_t rechecked_epoch = -1;              // the last one whose examples did not add up, 0-based
  int64_t verify_until = 0;                  // units of rounds up to this one are computed twice
  std::string logged_contract;               // of the last start or rebind record
  Instant dispute_since;
  std::map<int32_t, std::string>
      last_executor;                // who computed the worker last: its blocks are there
  std::vector<Duration> durations;  // of recent units (bounded)
  Duration typical_unit{};          // their median; 0: none yet

  int64_t writing_checkpoint = -1;  // round, or -1
  bool checkpoint_wanted =
      false;  // a trigger fired while one was being written or a state was missing
  Instant last_checkpoint_at;
  bool began_again = false;  // no checkpoint was usable: round 0 is made once more
  Instant started_at;        // of this life
  int64_t examples_this_life = 0;
  int64_t expired_leases = 0;
  int64_t standstills = 0;  // units given to others because nothing went on
  int64_t network_retries = 0, master_retries = 0;
  int64_t duplicate_results = 0;
  int64_t second_leases = 0;
  int64_t replayed_rounds = 0;

  bool replaying() const { return at < committed; }
  bool live() const { return !IsTerminal(record.state) && record.state != JobState::kQueued; }
  bool finished() const { return stop_decided || at >= definition.TotalRounds(); }
  // Rounds behind this one do not count: what the log said of them is forgotten.
  void ForgetLogBehind(int64_t round);
  void TakeDecision(const LogRecord& evaluation);  // what the evaluation's record says of stopping
  bool AllSettled() const;                         // every unit of the open round or evaluation
  bool HasCheckpoint(int64_t round) const {
    const auto found = checkpoints.find(round);
    return found != checkpoints.end() && !found->second.unusable;
  }
  // The round ends an epoch, and its checkpoint is still to be written. They are written in order:
  // one that lacks behind a newer one was deleted.
  bool LacksEpochEnd(int64_t round) const {
    return definition.checkpoint.every_epoch && definition.EndsEpoch(round) &&
           !HasCheckpoint(round) && checkpoints.upper_bound(round) == checkpoints.end();
  }
  // Examples that rounds 1 to `round` train, and all that are committed.
  int64_t ExamplesUpTo(int64_t round) const;
  int64_t ExamplesTrained() const { return ExamplesUpTo(committed); }
};

// The number behind a job's name: the order in which jobs were submitted. 0 where there is none.
uint64_t JobNumber(const std::string& id);

Json ToJson(const JobRecord& record);
StatusOr<JobRecord> JobRecordFromJson(const Json& json, std::string_view where);

// The durable record of a checkpoint ("checkpoint/ID/ROUND").
Json ToJson(const CheckpointInfo& info);
StatusOr<CheckpointInfo> CheckpointInfoFromJson(const Json& json, std::string_view where);

// "unverified/ID".
Json UnverifiedJson(const Job& job);
StatusOr<std::map<std::string, int64_t>> UnverifiedFromJson(const Json& json,
                                                            std::string_view where);

// Checkpoints to delete: all but the newest keep_last, the keep_best best by the judged metric, the
// pinned ones, and the newest (always). One that could not be loaded counts as none.
std::vector<int64_t> CheckpointsToDelete(const Job& job);

}  // namespace dl::master
