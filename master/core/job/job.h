// One job as the core holds it: what is durable, and the open round or evaluation, which never is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "master/core/job/definition.h"
#include "master/core/job/event_sequence.h"
#include "master/core/job/job_state.h"
#include "master/core/job/known_log.h"
#include "master/core/job/label_set.h"
#include "master/core/job/prepare_state.h"
#include "master/core/job/round_totals.h"
#include "master/core/job/traffic.h"
#include "master/core/job/unit.h"
#include "master/core/job/unit_index.h"
#include "rpc/scheduling_fields.h"

namespace dl::master {

// The job's durable record ("job/ID"), rewritten at each change of state.
struct JobRecord {
  JobState state = JobState::kQueued;
  Reason reason = Reason::kNone;
  std::string message;
  Status error;  // FAILED and REJECTED: what the user is told
  int64_t attempt = 1;
  std::string contract;  // kernel contract; empty until executors decided it
  std::string isa;       // that a rebind asked for; empty: as the job's definition says
  int64_t submitted_unix_ms = 0;
  int64_t ended_unix_ms = 0;    // 0: it goes on, or a build that did not write it down ended it
  std::string resume_from;      // the checkpoint it began from, "JOB@ROUND": full state
  std::string init_from;        // likewise: weights only
  int64_t earlier_updates = 0;  // that the updater's state at round 0 has seen: of resume_from
  double wall_seconds = 0;      // spent running in earlier lives of the master
  int64_t rollbacks = 0;        // how often it went back behind committed rounds
  std::string owner;            // who submitted it; empty: nobody knows, and admins alone act on it
  rpc::Scheduling scheduling;   // `after` goes when that job has SUCCEEDED
};

enum class Phase : uint8_t {
  kIdle,           // queued or terminal
  kPreparing,      // the engine makes or loads a state
  kOffers,         // after a restart: executors may hold what no checkpoint has
  kTraining,       // a round is open
  kGathering,      // all of it is announced, and its contributions are asked for
  kMerging,        // its contributions are being merged
  kEvaluating,     // the test set is being measured on the state of `at`
  kCheckpointing,  // an epoch's end that is to be kept waits for the disk
  kFinishing,      // the last checkpoint is being written
};

// What one executor is asked for of a round that is gathered: one contribution, or the sum of
// several.
struct PendingGather {
  uint64_t session = 0;
  std::vector<int32_t> workers;  // ascending
  bool sum = false;
  bool opened = false;    // sum: what it is made of is asked for behind it, to compare
  uint64_t opens = 0;     // the number of the sum that this is a part of; 0: of none
  bool asked = false;     // else it waits for its turn
  bool reported = false;  // an answer that said so has left
};

// Which executor computed a worker last: its blocks are there.
struct Affinity {
  std::map<int32_t, std::string> last_executor;
  std::map<std::string, std::set<int32_t>> of;  // the same by executor
  std::set<int32_t> unassigned;                 // open units of workers that nobody computed yet

  void Set(int32_t worker, const std::string& executor);
};

// How long units take, and what is judged by it.
struct DurationStats {
  std::vector<Duration> durations;  // of recent units (bounded)
  Duration typical_unit{};          // their median; 0: none yet
  Duration judged_by{};  // that median, when standstills and stragglers were last judged anew
};

// A round that is gathered: what was asked for, and what the engine has added.
struct GatherProgress {
  averaging::Weights weights;
  std::map<uint64_t, PendingGather> asked;  // kGathering: by their numbers
  // Of the round, on `grid`: worker -> hash. None: it begins anew.
  std::optional<std::map<int32_t, uint64_t>> added;
  std::set<std::string> summed_by;  // executors whose sums are in that, and nobody opened them
};

// How a state comes to be there: at a start, behind a restart, or before rounds are computed again.
struct Preparation {
  PrepareState::Source source{};       // kPreparing: from what
  uint64_t number = 0;                 // kPreparing: of what is waited for
  std::optional<PrepareState> next;    // once the log has been read
  Instant offers_until, offers_limit;  // kOffers; the second when everything was offered
  std::map<std::string, bool> wanted;  // kOffers: parts by SHA-256 -> arrived
  bool began_again = false;            // no checkpoint was usable: round 0 is made once more
};

// A checkpoint that is being written, and when the next one will be.
struct Saving {
  int64_t round = -1;      // or -1
  CheckpointInfo written;  // what that one will be
  bool wanted = false;     // a trigger fired while one was being written or a state was missing
  Instant last_at;
  // The disk had no room for the last one: it is tried again from `not_before` on.
  bool lacks_space = false;
  Instant not_before;
};

// Confirmed results of an executor after which distrust of it does not reach further back (ADR 7).
inline constexpr int kConfirmationsOfHorizon = 8;

// The results that the job rests on, and how far they are confirmed.
struct Attestations {
  // The horizon of distrust: for each executor the first committed round that counts no more when
  // the executor is found to be wrong. It moves forward with results that others confirm; an
  // executor without an entry is trusted. Durable.
  std::map<std::string, int64_t> unverified_since;
  // For each executor the first committed round that has a result of it alone. Confirmations do not
  // move it. Durable.
  std::map<std::string, int64_t> unverified_first;
  // Confirmed results of an executor since its horizon moved, and the first round after that move
  // that has a result of it alone (0: none).
  struct Confirmations {
    int results = 0;
    int64_t next_since = 0;
  };
  std::map<std::string, Confirmations> confirmations;
  // The checkpoint that the job began from rests on unconfirmed results of these executors;
  // durable.
  std::set<std::string> source_unverified;
  bool unverified_changed = false;
  // Who gave what a committed round is made of: round -> (worker, executor), by worker; a list,
  // because there may be thousands. Recent ones, of this life.
  std::map<int64_t, std::vector<std::pair<int32_t, std::string>>> voters;
  std::map<UnitId, std::vector<UnitResult>> votes;  // known before the unit's round is open
  Instant dispute_since;
  int64_t rechecked_epoch = -1;  // the last one whose examples did not add up, 0-based
  int64_t verify_until = 0;      // units of rounds up to this one are computed twice

  // A committed round has a result of the executor that no other executor gave.
  void RecordUnconfirmed(const std::string& executor, int64_t round);
  // Other executors gave the same as the executor for that many of its results.
  void RecordConfirmed(const std::string& executor, int results);
  // Executors of which unconfirmed results are remembered, beside those that are registered. A job
  // may be computed by executors with ever new names.
  static constexpr size_t kMostAbsent = 1024;
  // Forgets executors beyond kMostAbsent that are not registered, those with the earliest
  // unconfirmed result first. They are trusted from then on.
  void ForgetAbsent(const std::function<bool(const std::string& executor)>& is_registered);
  // Adds executors to `source_unverified` up to kMostAbsent of them.
  void RecordSourceRestsOn(const std::string& executor);
  // Rounds after `round` do not count any more.
  void ForgetRoundsAfter(int64_t round);
  // Whether the round may have a result of the executor that no other executor gave.
  bool MayRestOn(const std::string& executor, int64_t round) const;

  // Whether a result of a unit of that round is another word than the executor's: what its commit
  // says is none where the round may rest on the executor's alone.
  bool IsIndependentEvidence(const UnitResult& result, const std::string& executor,
                             int64_t round) const;
};

// Of this life of the master, for people.
struct Counts {
  Instant started_at;
  int64_t examples = 0;
  int64_t expired_leases = 0;
  // Contributions that were asked for when their round was complete, and sums among what came.
  int64_t gathered_contributions = 0, gathered_sums = 0;
  int64_t stalls = 0;  // units given to others because nothing went on
  int64_t network_retries = 0, master_retries = 0;
  int64_t duplicate_results = 0;
  int64_t second_leases = 0;
  int64_t replayed_rounds = 0;
  Traffic traffic;  // of so many merged rounds
  int64_t merged_rounds = 0;
};

// How often in a row an executor's process was killed, without a note of a crash, while it had
// leases of the job's units. A result of the job from this executor resets it.
struct Kills {
  int32_t in_a_row = 0;
  Instant held_off_until;  // it gets no units of the job before this
};

// Units that were touched: the board is behind them.
struct Touched {
  std::vector<int32_t> units;
  bool all = false;
};

// Where the job stands on the work list (machine/work_list.h).
struct ReadyQueueEntry {
  std::optional<size_t> open;        // it has units to be leased, and so many leases
  std::optional<Instant> straggles;  // when the first unit may be leased a second time
  bool leased = false;               // somebody has a lease of it
  bool operator==(const ReadyQueueEntry&) const = default;
};

struct Job {
  Status damage;  // of its stored documents: it is shown, stays as it is stored, and nothing can be
                  // asked of it in this life of the master
  JobDefinition definition;
  JobRecord record;
  LabelSet needs;  // record.scheduling.needs
  KnownLog log;
  CheckpointInfos checkpoints;
  SetAsideInfos set_aside;  // checkpoints of rounds that do not count any more
  Attestations attestations;
  EventSequence event_sequence;
  std::string begins_from_manifest;  // of the checkpoint it began from; empty: none, or gone

  // Where the engine is: the round whose state it holds. Below what is committed while replaying.
  Phase phase = Phase::kIdle;
  int64_t at = -1;
  StateNames names;             // of `at`
  int64_t plateaus = 0;         // behind which the open round is computed
  uint64_t epoch_hash_sum = 0;  // of the epoch that `at` lies in or ends
  nn::MetricSums epoch_train;
  Preparation preparation;
  uint64_t merge = 0;             // kMerging: its number
  averaging::GridExponents grid;  // of the merge or gathering under way
  GatherProgress gathering;
  Saving saving;

  std::map<int32_t, Unit> units;  // of the open round or evaluation, by index
  UnitIndex unit_index;           // what follows from them
  RoundTotals totals;             // counts their results as they are accepted
  Touched touched;
  Affinity affinity;
  std::map<std::string, Kills> kills;  // by executor
  // Since when more executors offer another contract than the job's (Contracts::LeaveIfOutvoted).
  std::optional<Instant> outvoted_since;
  // Contracts that the job left because it would have failed (Contracts::LeaveToGoOn).
  std::set<std::string> failed_under;
  DurationStats duration_stats;
  uint64_t last_lease = 0;  // the number of the last lease of a unit of it, in this life

  ReadyQueueEntry queue_entry;
  Instant due = Instant::Max();
  bool was_blocked = false;  // executors, when that was last looked at
  uint64_t end = 0;          // number of its end: it may be resumed and end again
  Counts counts;

  // What the executors have to compute with that decide its contract; empty: the lowest.
  const std::string& WantedIsa() const { return record.isa.empty() ? definition.isa : record.isa; }
  bool replaying() const { return at < log.committed; }
  // It is being computed, or waits for who computes it.
  bool live() const {
    return !IsTerminal(record.state) && record.state != JobState::kQueued &&
           record.state != JobState::kPaused;
  }
  // A user wants it to stop: nothing new of it begins.
  bool stops() const {
    return record.state == JobState::kCancelling || record.state == JobState::kPausing;
  }
  // The executor gets no units of the job at `time`, because it was killed at them too often.
  bool HoldsOff(const std::string& executor, Instant time) const {
    const auto found = kills.find(executor);
    return found != kills.end() && time < found->second.held_off_until;
  }
  bool finished() const { return log.stop_decided || at >= definition.TotalRounds(); }
  // What the accepted results of the open units come to.
  const RoundTotals& CurrentTotals();
  // The units of an open round or evaluation are there, or gone.
  void UnitsChanged();
  // Lets go of what is not needed any more of the log.
  void TrimLog(int64_t commits_kept);
  bool AllSettled() const;  // every unit of the open round or evaluation
  bool HasCheckpoint(int64_t round) const;
  // Its round 0 is a checkpoint of another job. A job of a seed can make its round 0 again.
  bool BeginsFromAnother() const {
    return !record.resume_from.empty() || !record.init_from.empty();
  }
  // The round ends an epoch, and its checkpoint is still to be written. They are written in order:
  // one that lacks behind a newer one was deleted.
  bool LacksEpochEnd(int64_t round) const;
  // Examples that rounds 1 to `round` train.
  int64_t ExamplesUpTo(int64_t round) const;
};

Status NoSuchJob(const std::string& id);

// "JOB@ROUND", or "JOB@ROUND~ROLLBACK" of a checkpoint that was set aside.
struct CheckpointName {
  std::string job;
  int64_t round = 0;
  int64_t set_aside = 0;
};
std::string ToString(const CheckpointName& name);
std::optional<CheckpointName> ParseCheckpointName(const std::string& text);

// The number behind a job's name: the order in which jobs were submitted. 0 where there is none.
uint64_t JobNumber(const std::string& id);

Json ToJson(const JobRecord& record);
StatusOr<JobRecord> JobRecordFromJson(const Json& json, std::string_view where);

// The durable record of a checkpoint ("checkpoint/ID/ROUND").
Json ToJson(const CheckpointInfo& info);
StatusOr<CheckpointInfo> CheckpointInfoFromJson(const Json& json, std::string_view where);

// "unverified/ID": what of a Word is durable.
Json UnverifiedJson(const Attestations& attestations);
StatusOr<Attestations> UnverifiedFromJson(const Json& json, std::string_view where);

// Checkpoints to delete: all but the newest keep_last, the keep_best best by the judged metric, the
// pinned ones, and the newest (always). One that could not be loaded counts as none.
std::vector<int64_t> CheckpointsToDelete(const Job& job);

}  // namespace dl::master
