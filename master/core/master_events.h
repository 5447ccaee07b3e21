// Input and output of the core. A step is a pure function of the core's state, an event and its
// time. Every consequence outside the core is an effect or a persisted record.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "averaging/accumulator.h"
#include "averaging/layer_statistics.h"
#include "base/clock.h"
#include "base/one_of.h"
#include "base/shared.h"
#include "base/status.h"
#include "master/core/checkpoint_reads.h"
#include "master/core/core_queries.h"
#include "master/core/job/announcement.h"
#include "master/core/job/checkpoint_name.h"
#include "master/core/job/definition.h"
#include "master/core/job/prepare_state.h"
#include "master/core/job/round_log.h"
#include "master/core/job/traffic.h"
#include "master/core/views/checkpoint_view.h"
#include "master/core/views/cluster_view.h"
#include "master/core/views/job_event.h"
#include "master/core/views/job_view.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

struct RecoveredJob;

// ---- events ----

// A request of a peer. The core answers it by its `token`.
template <typename Request>
struct Asked {
  uint64_t token = 0;
  Request request;
};

// A validated submission: the definition and the documents to persist.
struct Submission {
  std::string request_id;
  JobDefinition definition;  // id is still empty
  std::string spec;
  std::string train_manifest;
  std::string test_manifest;
  std::string resume_from;  // text of a CheckpointName, or empty
  std::string init_from;    // of the same form
  std::string owner;        // of the job
  rpc::Scheduling scheduling;
  // The job named by `after`, as stored, if it has ended.
  std::shared_ptr<const RecoveredJob> predecessor;
  // The job of resume_from or init_from, as stored, if it has ended. Shared, because events are
  // copied.
  std::shared_ptr<const RecoveredJob> source;
  // The action turn of this submission. It is kept until the batch is durable.
  std::shared_ptr<const void> turn;
};

// An action of a user, or a deletion by retention, on an existing job.
struct UserAction {
  rpc::JobActionRequest request;
  std::shared_ptr<const RecoveredJob> ended;  // the job as stored, if it has ended
  std::shared_ptr<const void> turn;           // action turn, as Submission::turn
  // Set if retention deletes the job: the end time of the job that retention read. The job stays if
  // it has ended again since then, or if it has a pinned checkpoint.
  std::optional<int64_t> expired_end_unix_ms;
};

struct Tick {};  // a deadline of NextDeadline() has passed
// The connection of the session's heartbeats has closed.
struct SessionDisconnected {
  uint64_t session = 0;
};
// Part of a contribution or of a gather's data has arrived, and more is expected. Only posted for a
// chunk that has at least 1 MiB of new bytes, or that begins a delivery after one in vain.
struct BytesArrived {
  UnitId unit;          // for a gather: its first input
  uint64_t number = 0;  // ExpectContribution::number or, with `gather`, ExpectGather::number
  bool gather = false;
  uint64_t session = 0;  // the sender
  // 0: some of the bytes were received for the first time. Otherwise the delivery begins again, and
  // this many deliveries in a row before it brought no new bytes.
  int64_t deliveries_without_progress = 0;
};
// A contribution is complete and staged. It equals its announcement; this is not verified for
// executors in this process.
struct ContributionStaged {
  UnitId unit;
  uint64_t expected = 0;  // ExpectContribution::number
  uint64_t session = 0;   // the sender
};
// A contribution is complete but differs from its announcement.
struct ContributionRefused {
  UnitId unit;
  uint64_t expected = 0;
  uint64_t session = 0;
  Status status;
};
// The data of a gather is complete, was checked (CheckGathered), and is added to the mean. A
// contribution of an opened sum was compared with the sum instead.
struct Gathered {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;   // ExpectGather::number
  uint64_t session = 0;  // the sender
};
// The data of a gather is complete but differs from the announcements, or could not be added.
struct GatherRefused {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;
  uint64_t session = 0;
  Status status;
};
// The contributions of an opened sum do not add up to the sum that was sent.
struct SumContradicted {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;   // gather number of the sum
  uint64_t session = 0;  // sender of the sum
};
// The merge engine has finished a Merge effect, or failed.
struct RoundMerged {
  std::string job;
  int64_t round = 0;
  uint64_t merge = 0;  // Merge::number
  StateNames names;
  Traffic traffic;                                 // traffic of the job since its last merge
  std::vector<averaging::LayerStatistics> layers;  // of the model's layers (averaging::LayersOf)
  std::string parameter_histograms, change_histograms;  // EncodeHistograms; empty: not recorded
  Status status;
};
// The merge engine has finished a PrepareState effect: it has the state of `round`, not published
// yet, or failed.
struct StatePrepared {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;  // PrepareState::number
  StateNames names;
  Status status;
};
// A part that an executor offered has arrived and is verified.
struct PartArrived {
  std::string job, sha256;
};
// The merge engine has finished a WriteCheckpoint effect, or failed.
struct CheckpointWritten {
  std::string job;
  int64_t round = 0;
  std::string state_sha256;  // WriteCheckpoint::state_sha256
  std::string manifest;      // CheckpointInfo::manifest; empty after an error
  Status status;
};
// The records of a job's end or pause are durable. A job that has ended may leave the memory.
struct EndRecorded {
  std::string job;
  uint64_t end = 0;  // ReleaseJob::end
};
// Result of SurveyLog: the log of the rounds that a job may have to compute again.
struct LogSurveyed {
  std::string job;
  uint64_t number = 0;
  LogStretch stretch;
  Status status;
};
// Result of ReadCommits: commits of rounds to be computed again, ascending.
struct CommitsRead {
  std::string job;
  uint64_t number = 0;
  std::vector<LogRecord> commits;
  Status status;
};
// Result of FoldSeries: the changes that fold rows of figures.
struct SeriesFolded {
  std::string job;
  uint64_t number = 0;
  storage::MetaBatch batch;
  Status status;
};
struct ShutdownRequested {};  // SIGTERM: write last checkpoints, until ReadyToStop()

struct AllEvents {
  using Variant =
      std::variant<Tick, Asked<rpc::RegisterRequest>, Asked<rpc::HeartbeatRequest>,
                   Asked<rpc::GoodbyeRequest>, Asked<rpc::LeaseRequest>, Asked<Announcement>,
                   Asked<rpc::FailureReport>, Asked<Submission>, Asked<UserAction>,
                   Asked<PruneRequest>, Asked<JobQuery>, Asked<ResultQuery>,
                   Asked<CheckpointsQuery>, Asked<ClusterQuery>, Asked<JobsQuery>,
                   Asked<rpc::DrainRequest>, SessionDisconnected, BytesArrived, ContributionStaged,
                   ContributionRefused, Gathered, GatherRefused, SumContradicted, RoundMerged,
                   StatePrepared, PartArrived, CheckpointWritten, CheckpointRead, ReadEnded,
                   EndRecorded, LogSurveyed, CommitsRead, SeriesFolded, ShutdownRequested>;
};
using Event = OneOf<AllEvents>;

// ---- effects ----

struct AllReplies {
  using Variant =
      std::variant<std::monostate, rpc::RegisterReply, rpc::HeartbeatReply, rpc::LeaseReply,
                   rpc::AnnounceReply, rpc::SubmitReply, rpc::JobActionReply, JobView, JobViews,
                   ResultView, CheckpointsView, ClusterView, rpc::DrainReply>;
};
using Reply = OneOf<AllReplies>;
struct Answer {
  uint64_t token = 0;
  Status status;
  Reply reply;
};

// Reads the log from `commits_kept` records before index `place`, or from `place` if these are
// damaged, up to record `length` - 1. `place` holds the commit of `round` or of an earlier round.
struct SurveyLog {
  std::string job;
  uint64_t number = 0;
  int64_t place = 0;
  int64_t round = 0;
  int64_t length = 0;
  std::string last_sha256;
  std::set<int64_t> evaluations_of;  // rounds, in addition to the last evaluation
  int64_t commits_kept = 0;          // CoreOptions
};
// Reads the commits of first_round, first_round + 1, ... at these indices of the log.
struct ReadCommits {
  std::string job;
  uint64_t number = 0;
  int64_t first_round = 0;
  std::vector<int64_t> places;
};
// Folds rows of figures that are stored (storage/series/row_folding.h).
struct FoldSeries {
  std::string job;
  uint64_t number = 0;
};
// Training of `round` begins. `weights`: the examples of each worker; 0: it has no unit.
struct OpenRound {
  std::string job;
  int64_t round = 0;
  std::vector<int64_t> weights;
};
// A contribution was accepted, and its chunks may arrive. `number` names this acceptance, because
// the same unit with the same bytes may be accepted again in this or a later attempt of the job.
struct ExpectContribution {
  UnitId unit;
  uint64_t number = 0;
  uint64_t session = 0;  // the session that announced it; no other may send it
  uint64_t hash = 0;
  int64_t bytes = 0;
  Shared<averaging::Magnitudes> magnitudes;
  std::vector<rpc::NamedPart> parts;  // parts that the worker keeps, as announced
};
// The contribution is not expected any more. Its received bytes are dropped, even if it is staged.
struct DropContribution {
  UnitId unit;
  uint64_t number = 0;
};
// All units of the round are announced, and their gather begins from scratch. Contributions are
// added on this grid as they arrive, and released. The data of an earlier gather is dropped.
struct OpenGather {
  std::string job;
  int64_t round = 0;
  averaging::GridExponents exponents;
};
// An executor is asked for the contributions of these workers, one by one or as their sum.
struct ExpectGather {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;
  uint64_t session = 0;  // the session that is asked; no other may send it
  bool sum = false;
  bool opened = false;  // sum: keep a copy after adding it, to compare it with its inputs
  // Number of the sum that this input opens; it is only compared, not added; 0: none.
  uint64_t opens = 0;
  struct Input {
    int32_t worker = 0;
    uint64_t hash = 0;
    Shared<averaging::Magnitudes> magnitudes;
    std::vector<rpc::NamedPart> parts;  // parts that the worker keeps
  };
  std::vector<Input> inputs;  // ascending by worker
};
// The data of the gather is not expected any more.
struct DropGather {
  std::string job;
  uint64_t number = 0;
};
// All contributions of the round are staged or added: compute the state of `round` from them.
struct Merge {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;  // a round may be merged again after a dispute
  struct Input {
    int32_t worker = 0;
    uint64_t hash = 0;
  };
  std::vector<Input> inputs;  // ascending by worker
  averaging::GridExponents exponents;
  bool gathered = false;  // the inputs are added already and no longer in memory
};
// Makes the state of the round the only state that executors can fetch.
struct Publish {
  std::string job;
  int64_t round = 0;
};
// The round is durable. Staged contributions up to this round and older states are released, except
// a state of which a checkpoint is being written.
struct Retire {
  std::string job;
  int64_t round = 0;
};
// Executors are asked for a part of the job's last state, and may send it.
struct ExpectPart {
  std::string job;
  std::string sha256;
};
// Writes the state of the round to the checkpoint store. CheckpointWritten answers.
struct WriteCheckpoint {
  std::string job;
  int64_t round = 0;
  std::string state_sha256;  // name of the round's state; returned in CheckpointWritten
};
// Deletes the stored content of a checkpoint, which no record names any more.
struct DeleteCheckpoint {
  std::string job;
  int64_t round = 0;
  std::string manifest;
};
// The job is no longer computed: release its states and staged contributions.
struct ReleaseJob {
  std::string job;
  uint64_t end = 0;  // returned in EndRecorded; 0: the job was paused
};
// An executor has registered. Only the process `holder` (rpc::RegisterRequest) may use the session.
struct SessionBegan {
  uint64_t session = 0;
  std::string holder;
  std::string executor;
};
struct SessionEnded {
  uint64_t session = 0;
};
// Reports the event to subscribers of the job. The event is stored in the same batch.
using Emit = JobEvent;

struct Log {
  std::string line;
};  // for the log of the master

struct AllEffects {
  using Variant = std::variant<Answer, PrepareState, SurveyLog, ReadCommits, FoldSeries, OpenRound,
                               ExpectContribution, DropContribution, OpenGather, ExpectGather,
                               DropGather, Merge, Publish, Retire, ExpectPart, WriteCheckpoint,
                               DeleteCheckpoint, ReleaseJob, SessionBegan, SessionEnded, Emit, Log>;
};
using Effect = OneOf<AllEffects>;

// Whether the effect may leave before its batch is durable: published states, answers to lease
// requests, and checkpoint data, which no record names before its own record is durable.
bool MayLeaveAhead(const Effect& effect);

struct Output {
  // Effects that may leave before `batch` is durable, in this order (MayLeaveAhead). If the process
  // ends before the batch is written, its round is computed again, with the same bits.
  std::vector<Effect> ahead;
  storage::MetaBatch batch;
  std::vector<Effect> effects;  // only after `batch` is durable, in this order
  // Kept until `batch` is durable and `effects` have left; destroyed on another thread.
  std::vector<std::shared_ptr<const void>> let_go;
};

}  // namespace dl::master
