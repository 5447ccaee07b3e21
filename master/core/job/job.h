// A job as the core holds it: its durable data, and the open round or evaluation in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "master/core/job/by_index.h"
#include "master/core/job/checkpoint_name.h"
#include "master/core/job/counts.h"
#include "master/core/job/definition.h"
#include "master/core/job/event_sequence.h"
#include "master/core/job/job_series.h"
#include "master/core/job/job_state.h"
#include "master/core/job/job_timeline.h"
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

// The job's durable record ("job/ID"). It is rewritten at each change of state, commit and
// checkpoint, among others.
struct JobRecord {
  JobState state = JobState::kQueued;
  Reason reason = Reason::kNone;
  std::string message;
  rpc::Remedy remedy;  // what the user can do about the state
  Status error;        // FAILED and REJECTED: the error for the user
  int64_t attempt = 1;
  std::string contract;  // kernel contract; empty until it is decided, and again after a rebind
  std::string isa;       // requested by a rebind; empty: as in the job's definition
  int64_t submitted_unix_ms = 0;
  int64_t ended_unix_ms = 0;  // 0: not ended, or ended by a build that did not record it
  std::string resume_from;    // checkpoint whose full state the job begins from; empty: none
  std::string init_from;      // checkpoint whose weights alone the job begins from; empty: none
  // Number of updates that the updater's state at round 0 has seen before this job (resume_from).
  int64_t earlier_updates = 0;
  // Running time. In memory, a live job has only the time before Counts::started_at here. The
  // stored record has the time until it was written.
  double wall_seconds = 0;
  int64_t unit_ms = 0;    // typical duration of a unit, 0 to kLongestUnitMs; 0: unknown
  int64_t rollbacks = 0;  // number of rollbacks
  std::string owner;      // user that submitted it; empty: unknown, only admins may act on it
  // `after` is cleared when that job has SUCCEEDED, or when this job is resumed after its end.
  rpc::Scheduling scheduling;
};

enum class Phase : uint8_t {
  kIdle,           // queued, paused or ended
  kPreparing,      // a state is made or loaded, or the round log is read
  kOffers,         // in a recovery: waits for parts of the last state from executors
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
  bool sum = false;              // for the sum of the contributions of `workers`
  bool opened = false;           // sum: its contributions are requested afterwards, to compare
  uint64_t opens = 0;            // number of the sum to which this contribution belongs; 0: none
  bool asked = false;            // requested; otherwise it waits for its turn
  bool reported = false;         // it was in an answer to the executor
};

// The executor to which each worker was leased last. It probably has the worker's blocks in its
// cache. An executor that holds a worker's result after a restart of the master also counts.
struct Affinity {
  std::map<int32_t, std::string> last_executor;
  std::map<std::string, std::set<int32_t>> of;  // workers by their last executor
  // Indices of the units of the open round or evaluation whose worker has no last executor.
  std::set<int32_t> unassigned;

  // Makes `executor` the last executor of the worker.
  void Set(int32_t worker, const std::string& executor);
};

// Durations of units, and the value by which units are judged.
struct DurationStats {
  std::vector<Duration> durations;  // from lease to announcement, of recent units (bounded)
  // Median by which stalls and stragglers are judged. It follows the median of `durations` when the
  // two differ by more than an eighth. 0: unknown.
  Duration judged_by{};
};

// Durations of deliveries of results, from a result's turn (AcceptedResult::turn) until its bytes
// were complete. Results of a job have equal sizes.
struct DeliveryStats {
  // The last delivery of each executor, the executor that delivered least recently first (bounded).
  // An executor has one entry, so that it cannot choose the median by many deliveries.
  std::vector<std::pair<std::string, Duration>> last;
  // Lower median of `last`. Updated only if this changes the bound of deliveries noticeably.
  Duration judged_by{};

  // Whether the deliveries of `executor` can be judged: another executor has delivered.
  bool AreKnownFor(const std::string& executor) const {
    return last.size() > 1 || (last.size() == 1 && last.front().first != executor);
  }
};

// A gathered round: the requests, and the contributions that the engine has added.
struct GatherProgress {
  averaging::Weights weights;
  std::map<uint64_t, PendingGather> asked;  // kGathering: requests by number
  // Contributions that were added on Job::grid: worker -> hash. nullopt: the gather starts from
  // scratch.
  std::optional<std::map<int32_t, uint64_t>> added;
  std::set<std::string> summed_by;  // executors whose sums were added without being opened
};

// A part of the last committed state that an executor was asked for.
struct WantedPart {
  uint64_t session = 0;  // that was asked; 0: its session ended, and no other session has the part
  bool arrived = false;

  bool HasArrived() const { return arrived; }
  bool IsUnderWay() const { return arrived || session != 0; }
};

// How a state is obtained: at the start, after a restart, or before rounds are computed again.
struct Preparation {
  PrepareState::Source source{};     // kPreparing: its source
  uint64_t number = 0;               // kPreparing: number of the awaited event
  std::optional<PrepareState> next;  // effect to be executed when the log has been read
  PrepareState asked;                // kPreparing, after the log was read: the effect in progress
  // kOffers: end of the wait, its end while all parts are requested, and the latest such end.
  Instant offers_until, offers_limit, offers_latest;
  std::map<std::string, WantedPart> wanted;  // kOffers: requested parts by SHA-256
  bool began_again = false;                  // no checkpoint was usable: begins at round 0 again
};

// The checkpoint that is being written, and when the next one will be.
struct Saving {
  int64_t round = -1;      // round that is being written, or -1
  CheckpointInfo written;  // its record
  bool wanted = false;     // a checkpoint is requested and not begun
  Instant last_at;         // when a checkpoint was last begun; at first, when the job was started
  // The disk was full at the last attempt, or files or memory were short. The next attempt is not
  // made before `not_before`.
  bool lacks_space = false;
  Instant not_before;
};

// Number of confirmed results of an executor after which its horizon of distrust moves forward (ADR
// 7).
inline constexpr int kConfirmationsOfHorizon = 8;

// The results on which the job rests, and how far they are confirmed.
struct Attestations {
  // The horizon of distrust: for each executor, the first committed round that is in doubt if the
  // executor is found to be wrong. Confirmed results move it forward. An executor without an entry
  // is trusted. Durable.
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
  bool unverified_changed = false;  // a durable member differs from its stored record
  // Executors that gave the committed results of recent rounds: round -> list of (worker,
  // executor), sorted by worker. Not stored.
  std::map<int64_t, std::vector<std::pair<int32_t, std::string>>> voters;
  // Results that are added to the units when their round is opened.
  std::map<UnitId, std::vector<UnitResult>> votes;
  Instant dispute_since;         // when the last dispute was opened
  int64_t rechecked_epoch = -1;  // last epoch whose examples did not add up, 0-based; -1: none
  int64_t verify_until = 0;      // all units of rounds up to this one must be confirmed

  // Records that a committed round has a result of the executor that no other executor confirmed.
  void RecordUnconfirmed(const std::string& executor, int64_t round);
  // Counts results of the executor that other executors confirmed. When kConfirmationsOfHorizon are
  // counted, moves its horizon forward or removes it, and counts from 0 again. Does nothing if the
  // executor has no horizon.
  void RecordConfirmed(const std::string& executor, int results);
  // Limit of executors that are not registered and whose unconfirmed results are remembered,
  // because a job may be computed by executors with ever new names.
  static constexpr size_t kMostAbsent = 1024;
  // Drops executors beyond kMostAbsent that are not registered, those with the earliest unconfirmed
  // result first. They are trusted afterwards.
  void ForgetAbsent(const std::function<bool(const std::string& executor)>& is_registered);
  // Adds the executor to `source_unverified`, unless kMostAbsent executors are in it.
  void RecordSourceRestsOn(const std::string& executor);
  // Forgets horizons and voters of rounds after `round`, and all confirmations. Keeps
  // `unverified_first`.
  void ForgetRoundsAfter(int64_t round);
  // Whether the round may have a result of the executor that no other executor confirmed. Returns
  // false for an executor that was forgotten (ForgetAbsent).
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
  std::optional<size_t> open;        // number of live leases, if it has open units
  std::optional<Instant> straggles;  // when the first unit may be leased a second time
  bool leased = false;               // it has leases
  bool operator==(const ReadyQueueEntry&) const = default;
};

struct Job {
  // Error in its stored documents; OK: none. A damaged job stays as stored. It can be shown and
  // deleted, and refuses all other actions.
  Status damage;
  JobDefinition definition;
  JobRecord record;
  LabelSet needs;  // record.scheduling.needs
  KnownLog log;
  CheckpointInfos checkpoints;
  SetAsideInfos set_aside;  // checkpoints that rollbacks set aside
  Attestations attestations;
  EventSequence event_sequence;
  JobSeries series;
  JobTimeline timeline;
  // Manifest of the checkpoint from which it began. Empty: none, or deleted.
  std::string begins_from_manifest;

  Phase phase = Phase::kIdle;
  // The round whose state the engine has; -1: none. During a replay it is less than the last
  // committed round. In an ended job it is the last committed round, although the engine has
  // released the state.
  int64_t at = -1;
  StateNames names;      // of the state of `at`
  int64_t plateaus = 0;  // number of plateaus that applies to the open round
  // Example hashes and training metrics of the epoch of round `at`, summed up to that round.
  uint64_t epoch_hash_sum = 0;
  nn::MetricSums epoch_train;
  Preparation preparation;
  uint64_t merge = 0;  // kMerging: number of the merge
  // The last attempt to load a state, to read the log or to merge lacked memory or open files.
  bool lacks_resources = false;
  averaging::GridExponents grid;  // of the current merge or gather
  GatherProgress gathering;
  Saving saving;

  ByIndex<Unit> units;        // of the open round or evaluation
  UnitIndex unit_index;       // derived from the units
  RoundTotals totals;         // sums over the accepted results
  bool is_adding_up = false;  // AddUpTotals continues in the next step
  Touched touched;
  Affinity affinity;
  std::map<std::string, Kills> kills;  // by executor
  // Since when more executors have another contract than the job's (Contracts::LeaveIfOutvoted).
  std::optional<Instant> outvoted_since;
  // Contracts that the job left because it would have failed otherwise (Contracts::LeaveToGoOn).
  std::set<std::string> failed_under;
  DurationStats duration_stats;
  DeliveryStats delivery_stats;
  uint64_t last_lease = 0;  // number of the last lease of one of its units since the master's start

  ReadyQueueEntry queue_entry;
  Instant due = Instant::Max();  // when the passing of time alone changes something of the job
  bool was_blocked = false;      // had no eligible executors when that was last checked
  uint64_t end = 0;              // number of its end, because a resumed job may end again
  Counts counts;

  // The instruction set that executors must have; empty: the lowest decides.
  const std::string& WantedIsa() const { return record.isa.empty() ? definition.isa : record.isa; }
  // Whether the state of the last committed round does not exist yet, so that it is restored or
  // rounds up to it are computed again.
  bool replaying() const { return at < log.committed; }
  // Whether the job is computed or waits for executors, also while it is being cancelled or paused.
  // Jobs::live() also has queued and paused jobs.
  bool active() const {
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
  // Whether no round after `at` is needed.
  bool finished() const { return log.stop_decided || at >= definition.TotalRounds(); }
  // Brings `totals` up to date with the accepted results of the open units. Stops after about
  // `values` values (RoundTotals::CatchUp), so that the step stays short. Returns false if results
  // are left for the next step.
  bool AddUpTotals(int64_t values);
  // Marks all units as touched and resets the gather. Must be called after the units of a round or
  // evaluation were created or removed.
  void UnitsChanged();
  // Drops records of the log that are no longer needed in memory. Keeps at least the last
  // `commits_kept` commits and those from round `at` - 1 on.
  void TrimLog(int64_t commits_kept);
  // Whether all units of the open round or evaluation are settled. True without units.
  bool AllSettled() const;
  // Whether the job has a checkpoint of the round that counts and was not found unusable.
  bool HasCheckpoint(int64_t round) const;
  // Returns the checkpoint of this job, whether it counts or was set aside; null if there is none.
  // The first form's result may be changed; the caller stores it.
  CheckpointInfo* FindCheckpoint(const CheckpointName& name);
  const CheckpointInfo* FindCheckpoint(const CheckpointName& name) const;
  // Whether round 0 comes from a checkpoint of another job, fully or with its weights alone.
  // Otherwise round 0 can be computed again from the seed and the initial weights.
  bool BeginsFromAnother() const {
    return !record.resume_from.empty() || !record.init_from.empty();
  }
  // Whether a quarantine rolls the job back to before its horizon of distrust. A job without
  // verification never confirms anything, so one wrong result would revoke all of it. Only rounds
  // that are known to be wrong are computed again.
  bool RollsBackOnQuarantine() const { return definition.verify_fraction > 0; }
  // Whether the round ends an epoch and the checkpoint that the policy demands then
  // (CheckpointPolicy::every_epoch) is still missing. A checkpoint that is older than another one
  // never counts as missing: it was deleted, or could not be written in time.
  bool LacksEpochEnd(int64_t round) const;
  // Returns the number of examples that rounds 1 to `round` train.
  int64_t ExamplesUpTo(int64_t round) const;
};

Status NoSuchJob(const std::string& id);  // returns NotFound

// Returns the number at the end of a job's id, which ascends in the order of submission; 0 if the
// id has none.
uint64_t JobNumber(const std::string& id);

// Returns the rounds of the checkpoints to delete: all except the newest keep_last (at least one),
// the best keep_best by the judged metric, and the pinned ones. Round 0 of a job that began from
// another job stays until the job has SUCCEEDED. If a quarantine may roll the job back
// (RollsBackOnQuarantine), two more stay: the newest before the smallest horizon of distrust, where
// it would begin, and the oldest after it, which takes its place when the horizon moves. The best
// round of early stopping counts as the
// first of the best. Unusable checkpoints do not count as newest or best, so they are deleted if
// they are not pinned. Returns none if all checkpoints are unusable.
std::vector<int64_t> CheckpointsToDelete(const Job& job);

}  // namespace dl::master
