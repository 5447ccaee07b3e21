// A job as the core holds it: its durable data, and the open round or evaluation in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "master/core/job/counts.h"
#include "master/core/job/definition.h"
#include "master/core/job/event_sequence.h"
#include "master/core/job/job_series.h"
#include "master/core/job/job_state.h"
#include "master/core/job/known_log.h"
#include "master/core/job/label_set.h"
#include "master/core/job/prepare_state.h"
#include "master/core/job/round_totals.h"
#include "master/core/job/unit.h"
#include "master/core/job/unit_index.h"
#include "rpc/remedy.h"
#include "rpc/scheduling_fields.h"

namespace dl::master {

// Longest duration of a unit that is stored.
inline constexpr int64_t kLongestUnitMs = int64_t{365} * 24 * 3600 * 1000;

// The job's durable record ("job/ID"), rewritten at each change of state and at each commit.
struct JobRecord {
  JobState state = JobState::kQueued;
  Reason reason = Reason::kNone;
  std::string message;
  rpc::Remedy remedy;  // what the user can do about the state
  Status error;        // FAILED and REJECTED: the error for the user
  int64_t attempt = 1;
  std::string contract;  // kernel contract; empty until executors decided it
  std::string isa;       // requested by a rebind; empty: as in the job's definition
  int64_t submitted_unix_ms = 0;
  int64_t ended_unix_ms = 0;  // 0: not ended, or ended by a build that did not record it
  std::string resume_from;    // the checkpoint it began from (CheckpointName): full state
  std::string init_from;      // as resume_from: weights only
  // Updates that the updater's state at round 0 has seen, in the job of resume_from.
  int64_t earlier_updates = 0;
  double wall_seconds = 0;     // running time before Counts::started_at
  int64_t unit_ms = 0;         // typical duration of a unit, 0 to kLongestUnitMs; 0: unknown
  int64_t rollbacks = 0;       // number of rollbacks
  std::string owner;           // user that submitted it; empty: unknown, only admins may act on it
  rpc::Scheduling scheduling;  // `after` is cleared when that job has SUCCEEDED
};

enum class Phase : uint8_t {
  kIdle,           // queued, paused or ended
  kPreparing,      // a state is made or loaded, or the round log is read
  kOffers,         // in a recovery: executors may have a state that no checkpoint has
  kTraining,       // a round is open
  kGathering,      // all units are announced, and their contributions are requested
  kMerging,        // the contributions are being merged
  kEvaluating,     // the state of `at` is evaluated on the test set
  kCheckpointing,  // the checkpoint of an epoch's end waits until an older one is written
  kFinishing,      // the last checkpoint is being written
};

// A request to one executor in a gathered round: for one contribution, or for the sum of several.
struct PendingGather {
  uint64_t session = 0;
  std::vector<int32_t> workers;  // ascending
  bool sum = false;
  bool opened = false;    // sum: its contributions are requested afterwards, to compare
  uint64_t opens = 0;     // number of the sum to which this contribution belongs; 0: none
  bool asked = false;     // requested; otherwise it waits for its turn
  bool reported = false;  // it was in an answer to the executor
};

// The executor that computed each worker last, which has the worker's blocks in its cache.
struct Affinity {
  std::map<int32_t, std::string> last_executor;
  std::map<std::string, std::set<int32_t>> of;  // the same by executor
  std::set<int32_t> unassigned;  // workers with open units that no executor has computed yet

  void Set(int32_t worker, const std::string& executor);
};

// Durations of units, and the value by which units are judged.
struct DurationStats {
  std::vector<Duration> durations;  // of recent units (bounded)
  // Their median when stalls and stragglers were last updated. 0: unknown.
  Duration judged_by{};
};

// A gathered round: the requests, and the contributions that the engine has added.
struct GatherProgress {
  averaging::Weights weights;
  std::map<uint64_t, PendingGather> asked;  // kGathering: requests by number
  // Contributions that were added on `grid`: worker -> hash. nullopt: the gather starts from
  // scratch.
  std::optional<std::map<int32_t, uint64_t>> added;
  std::set<std::string> summed_by;  // executors whose sums were added without being opened
};

// How a state is obtained: at the start, after a restart, or before rounds are computed again.
struct Preparation {
  PrepareState::Source source{};       // kPreparing: its source
  uint64_t number = 0;                 // kPreparing: number of the awaited event
  std::optional<PrepareState> next;    // effect to be executed when the log has been read
  Instant offers_until, offers_limit;  // kOffers; offers_limit applies if all parts are offered
  std::map<std::string, bool> wanted;  // kOffers: parts by SHA-256 -> arrived
  bool began_again = false;            // no checkpoint was usable: round 0 is computed again
};

// The checkpoint that is being written, and when the next one will be.
struct Saving {
  int64_t round = -1;      // round that is being written, or -1
  CheckpointInfo written;  // its record
  bool wanted = false;     // a checkpoint is requested and not begun
  Instant last_at;
  // The disk was full at the last attempt. The next attempt is at `not_before`.
  bool lacks_space = false;
  Instant not_before;
};

// Number of confirmed results of an executor after which its horizon of distrust moves forward (ADR
// 7).
inline constexpr int kConfirmationsOfHorizon = 8;

// The results on which the job rests, and how far they are confirmed.
struct Attestations {
  // The horizon of distrust: for each executor, the first committed round that no longer counts if
  // the executor is found to be wrong. Confirmed results move it forward. An executor without an
  // entry is trusted. Durable.
  std::map<std::string, int64_t> unverified_since;
  // For each executor, the first committed round with a result of this executor alone.
  // Neither confirmations nor rollbacks move it forward, because the executor may keep such a
  // result and announce it again. Durable.
  std::map<std::string, int64_t> unverified_first;
  // Number of confirmed results of an executor since its horizon moved, and the first later round
  // with a result of this executor alone (0: none).
  struct Confirmations {
    int results = 0;
    int64_t next_since = 0;
  };
  std::map<std::string, Confirmations> confirmations;
  // Executors on whose unconfirmed results the checkpoint rests from which the job began. Durable.
  std::set<std::string> source_unverified;
  bool unverified_changed = false;
  // Executors that gave the committed results of recent rounds: round -> list of (worker,
  // executor), sorted by worker. Not stored.
  std::map<int64_t, std::vector<std::pair<int32_t, std::string>>> voters;
  std::map<UnitId, std::vector<UnitResult>> votes;  // known before the unit's round is open
  Instant dispute_since;
  int64_t rechecked_epoch = -1;  // last epoch whose examples did not add up, 0-based; -1: none
  int64_t verify_until = 0;      // units of rounds up to this one are computed twice

  // A committed round has a result of the executor that no other executor confirmed.
  void RecordUnconfirmed(const std::string& executor, int64_t round);
  // Other executors confirmed this number of the executor's results.
  void RecordConfirmed(const std::string& executor, int results);
  // Limit of executors that are not registered and whose unconfirmed results are remembered,
  // because a job may be computed by executors with ever new names.
  static constexpr size_t kMostAbsent = 1024;
  // Drops executors beyond kMostAbsent that are not registered, those with the earliest unconfirmed
  // result first. They are trusted afterwards.
  void ForgetAbsent(const std::function<bool(const std::string& executor)>& is_registered);
  // Adds the executor to `source_unverified`, unless kMostAbsent executors are in it.
  void RecordSourceRestsOn(const std::string& executor);
  // Rounds after `round` no longer count.
  void ForgetRoundsAfter(int64_t round);
  // Whether the round may have a result of the executor that no other executor confirmed.
  bool MayRestOn(const std::string& executor, int64_t round) const;

  // Whether the result of a unit of that round is evidence independent of the executor. A committed
  // result is not, if the round may rest on this executor's own unconfirmed result.
  bool IsIndependentEvidence(const UnitResult& result, const std::string& executor,
                             int64_t round) const;
};

// Number of times in a row that an executor's process was killed, without a crash note, while it
// had leases of the job's units. A result of the job from this executor resets it.
struct Kills {
  int32_t in_a_row = 0;
  Instant held_off_until;  // the executor gets no units of the job before this time
};

// Units whose index entries are outdated because they were touched in this step.
struct Touched {
  std::vector<int32_t> units;
  bool all = false;
};

// The job's entry in the ready queue (machine/ready_queue.h).
struct ReadyQueueEntry {
  std::optional<size_t> open;        // number of leases, if it has open units
  std::optional<Instant> straggles;  // when the first unit may be leased a second time
  bool leased = false;               // it has leases
  bool operator==(const ReadyQueueEntry&) const = default;
};

struct Job {
  Status damage;  // of its stored documents: it is shown, stays as stored, and accepts no requests
  JobDefinition definition;
  JobRecord record;
  LabelSet needs;  // record.scheduling.needs
  KnownLog log;
  CheckpointInfos checkpoints;
  SetAsideInfos set_aside;  // checkpoints of rounds that no longer count
  Attestations attestations;
  EventSequence event_sequence;
  JobSeries series;
  // Manifest of the checkpoint from which it began. Empty: none, or deleted.
  std::string begins_from_manifest;

  Phase phase = Phase::kIdle;
  // The round whose state the engine has. During a replay it is less than the last committed round.
  int64_t at = -1;
  StateNames names;             // of the state of `at`
  int64_t plateaus = 0;         // number of plateaus that applies to the open round
  uint64_t epoch_hash_sum = 0;  // of the epoch in which `at` lies or that it ends
  nn::MetricSums epoch_train;
  Preparation preparation;
  uint64_t merge = 0;             // kMerging: number of the merge
  averaging::GridExponents grid;  // of the current merge or gather
  GatherProgress gathering;
  Saving saving;

  std::map<int32_t, Unit> units;  // of the open round or evaluation, by index
  UnitIndex unit_index;           // derived from the units
  RoundTotals totals;             // sums over the accepted results
  Touched touched;
  Affinity affinity;
  std::map<std::string, Kills> kills;  // by executor
  // Since when more executors have another contract than the job's (Contracts::LeaveIfOutvoted).
  std::optional<Instant> outvoted_since;
  // Contracts that the job left because it would have failed otherwise (Contracts::LeaveToGoOn).
  std::set<std::string> failed_under;
  DurationStats duration_stats;
  uint64_t last_lease = 0;  // number of the last lease of one of its units since the master's start

  ReadyQueueEntry queue_entry;
  Instant due = Instant::Max();
  bool was_blocked = false;  // had no eligible executors when that was last checked
  uint64_t end = 0;          // number of its end, because a resumed job may end again
  Counts counts;

  // The instruction set that executors must have; empty: the lowest decides.
  const std::string& WantedIsa() const { return record.isa.empty() ? definition.isa : record.isa; }
  bool replaying() const { return at < log.committed; }
  // Whether the job is computed, or waits for executors.
  bool live() const {
    return !IsTerminal(record.state) && record.state != JobState::kQueued &&
           record.state != JobState::kPaused;
  }
  // Whether a user wants the job to stop, so that nothing new begins.
  bool stops() const {
    return record.state == JobState::kCancelling || record.state == JobState::kPausing;
  }
  // Whether the executor gets no units of the job at `time`, because it was killed too often.
  bool HoldsOff(const std::string& executor, Instant time) const {
    const auto found = kills.find(executor);
    return found != kills.end() && time < found->second.held_off_until;
  }
  bool finished() const { return log.stop_decided || at >= definition.TotalRounds(); }
  // Returns the sums over the accepted results of the open units.
  const RoundTotals& CurrentTotals();
  // Must be called after the units of a round or evaluation were created or removed.
  void UnitsChanged();
  // Drops records of the log that are no longer needed in memory.
  void TrimLog(int64_t commits_kept);
  bool AllSettled() const;  // all units of the open round or evaluation
  bool HasCheckpoint(int64_t round) const;
  // Whether round 0 is a checkpoint of another job. Otherwise round 0 can be computed again from
  // the seed.
  bool BeginsFromAnother() const {
    return !record.resume_from.empty() || !record.init_from.empty();
  }
  // Whether the round ends an epoch and the checkpoint that the policy demands then
  // (CheckpointPolicy::every_epoch) is still missing. Checkpoints are written in order, so one that
  // is missing before a newer one was deleted.
  bool LacksEpochEnd(int64_t round) const;
  // Returns the number of examples that rounds 1 to `round` train.
  int64_t ExamplesUpTo(int64_t round) const;
};

Status NoSuchJob(const std::string& id);  // returns NotFound

// "JOB@ROUND", or "JOB@ROUND~ROLLBACK" for a checkpoint that was set aside.
struct CheckpointName {
  std::string job;
  int64_t round = 0;
  int64_t set_aside = 0;
};
std::string ToString(const CheckpointName& name);
std::optional<CheckpointName> ParseCheckpointName(const std::string& text);

// Returns the number after a job's name, in the order of submission; 0 if there is none.
uint64_t JobNumber(const std::string& id);

// Returns the checkpoints to delete: all except the newest keep_last (at least one), the best
// keep_best by the judged metric, and the pinned ones. Round 0 of a job that began from another job
// stays until the job has SUCCEEDED. Checkpoints that could not be loaded do not count as kept;
// none is deleted if no other exists.
std::vector<int64_t> CheckpointsToDelete(const Job& job);

}  // namespace dl::master
