// What goes into the core and what comes out. Step(event, now) is a pure function of the core's
// state: every input is here, every consequence is an effect or a persisted record.
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
#include "base/clock.h"
#include "base/json.h"
#include "base/one_of.h"
#include "base/shared.h"
#include "base/status.h"
#include "master/core/job/announcement.h"
#include "master/core/job/definition.h"
#include "master/core/job/prepare_state.h"
#include "master/core/job/round_log.h"
#include "master/core/job/traffic.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

struct RecoveredJob;

// ---- events ----

// A request of a peer; its answer goes to `token`.
template <typename Request>
struct Asked {
  uint64_t token = 0;
  Request request;
};

// A validated submission: the definition and the documents to persist.
struct Submission {
  std::string request_id;
  JobDefinition definition;  // id still empty
  std::string spec;
  std::string train_manifest;
  std::string test_manifest;
  std::string resume_from;  // "JOB@ROUND" or empty
  std::string init_from;    // likewise
  std::string owner;        // of the job
  rpc::Scheduling scheduling;
  // The job that it begins after, as it is stored, if that ended.
  std::shared_ptr<const RecoveredJob> predecessor;
  // That job as it is stored, if it ended. Shared: events are copied.
  std::shared_ptr<const RecoveredJob> source;
  // The turn of this submission, kept until its batch is durable. Shared with its caller.
  std::shared_ptr<const void> turn;
};

// What a user asks of a job that is there.
struct UserAction {
  rpc::JobActionRequest request;
  std::shared_ptr<const RecoveredJob> ended;  // the job as it is stored, if it ended; shared alike
  std::shared_ptr<const void> turn;           // as Submission::turn
  // Set for a deletion by retention: when the job ended, as retention read it. A job that ended
  // again since then stays, and so does a job with a pinned checkpoint.
  std::optional<int64_t> expired_end_unix_ms;
};

// The reports of these jobs, as far as they are in memory. A step answers few of them: each names
// the executors that get none of the job's units.
struct JobsQuery {
  static constexpr size_t kMostJobs = 5;
  std::vector<std::string> ids;  // at most kMostJobs
};
struct JobTexts {
  std::map<std::string, std::string> by_id;  // JSON
};

struct Tick {};  // a timer of NextDeadline() is due
struct SessionDisconnected {
  uint64_t session = 0;
};
// Bytes of a contribution, or of what a gather asked for, have arrived, and more are to come.
struct BytesArrived {
  UnitId unit;          // of a gather its first input
  uint64_t number = 0;  // ExpectContribution::number or, with `gather`, ExpectGather::number
  bool gather = false;
  uint64_t session = 0;  // who sends them
  // 0: some of them have never been here before. Else the delivery begins again, and so many before
  // it brought nothing new.
  int64_t in_vain = 0;
};
// A contribution is whole, verified and staged (its magnitudes equal the announced ones).
struct ContributionStaged {
  UnitId unit;
  uint64_t expected = 0;  // ExpectContribution::number
  uint64_t session = 0;   // who sent it
};
// A contribution came whole and is not what was announced.
struct ContributionRefused {
  UnitId unit;
  uint64_t expected = 0;
  uint64_t session = 0;
  Status status;
};
// What a gather asked for is whole, verified and added.
struct Gathered {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;   // ExpectGather::number
  uint64_t session = 0;  // who sent it
};
// It came whole and is not what was announced.
struct GatherRefused {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;
  uint64_t session = 0;
  Status status;
};
// A sum that was opened is not what its parts give.
struct SumContradicted {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;   // of the sum
  uint64_t session = 0;  // who sent it
};
// The engine finished a Merge effect, or could not.
struct RoundMerged {
  std::string job;
  int64_t round = 0;
  uint64_t merge = 0;  // Merge::number
  StateNames names;
  Traffic traffic;  // of the job, since its last merge
  Status status;
};
// The engine finished a PrepareState effect: the state of `round` is there to be fetched.
struct StatePrepared {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;  // PrepareState::number
  StateNames names;
  Status status;
};
// A part that the core asked for by an offer arrived, verified.
struct PartArrived {
  std::string job;
  std::string sha256;
};
struct CheckpointWritten {
  std::string job;
  int64_t round = 0;
  std::string state_sha256;  // WriteCheckpoint::state_sha256
  std::string manifest;
  Status status;
};
// What ended a job is durable: it need not be in memory any more.
struct EndRecorded {
  std::string job;
  uint64_t end = 0;  // ReleaseJob::end
};
// A client reads the checkpoint, piece by piece: retention lets it be meanwhile.
struct CheckpointRead {
  std::string job;
  int64_t round = 0;
};
// What the log says of the rounds that a job may have to compute again (SurveyLog).
struct LogSurveyed {
  std::string job;
  uint64_t number = 0;
  LogStretch stretch;
  Status status;
};
// Commits of rounds that are computed again, ascending (ReadCommits).
struct CommitsRead {
  std::string job;
  uint64_t number = 0;
  std::vector<LogRecord> commits;
  Status status;
};
struct ShutdownRequested {};  // SIGTERM: checkpoint what runs, then ReadyToStop()

struct AllEvents {
  using Variant = std::variant<
      Tick, Asked<rpc::RegisterRequest>, Asked<rpc::HeartbeatRequest>, Asked<rpc::GoodbyeRequest>,
      Asked<rpc::LeaseRequest>, Asked<Announcement>, Asked<rpc::FailureReport>, Asked<Submission>,
      Asked<UserAction>, Asked<rpc::QueryRequest>, Asked<JobsQuery>, Asked<rpc::DrainRequest>,
      SessionDisconnected, BytesArrived, ContributionStaged, ContributionRefused, Gathered,
      GatherRefused, SumContradicted, RoundMerged, StatePrepared, PartArrived, CheckpointWritten,
      CheckpointRead, EndRecorded, LogSurveyed, CommitsRead, ShutdownRequested>;
};
using Event = OneOf<AllEvents>;

// ---- effects ----

struct AllReplies {
  using Variant = std::variant<std::monostate, rpc::RegisterReply, rpc::HeartbeatReply,
                               rpc::LeaseReply, rpc::AnnounceReply, rpc::SubmitReply,
                               rpc::JobActionReply, rpc::QueryReply, JobTexts, rpc::DrainReply>;
};
using Reply = OneOf<AllReplies>;
struct Answer {
  uint64_t token = 0;
  Status status;
  Reply reply;
};

// Read the log from `place` on, where the commit of `round` or an earlier one lies, up to where it
// ended when this was asked.
struct SurveyLog {
  std::string job;
  uint64_t number = 0;
  int64_t place = 0;
  int64_t round = 0;
  int64_t length = 0;
  std::string last_sha256;
  std::set<int64_t> evaluations_of;  // rounds
  int64_t commits_kept = 0;          // CoreOptions
};
struct ReadCommits {
  std::string job;
  uint64_t number = 0;
  int64_t first_round = 0;
  std::vector<int64_t> places;
};
// Training of `round` begins: contributions of `units` workers will come, with these weights
// (examples) by worker.
struct OpenRound {
  std::string job;
  int64_t round = 0;
  std::vector<int64_t> weights;
};
// An accepted contribution: chunks of it may come now. The number names this very acceptance: the
// same unit may be accepted again, in this attempt of the job or the next, with the same bytes.
struct ExpectContribution {
  UnitId unit;
  uint64_t number = 0;
  uint64_t session = 0;  // that announced it: nobody else may send it
  uint64_t hash = 0;
  int64_t bytes = 0;
  Shared<averaging::Magnitudes> magnitudes;
  std::vector<rpc::NamedPart> parts;  // that the worker keeps, as announced
};
struct DropContribution {
  UnitId unit;
  uint64_t number = 0;
};
// All of the round is announced: contributions of it are added on this grid as they come, and let
// go. What was added of the round before that is forgotten.
struct OpenGather {
  std::string job;
  int64_t round = 0;
  averaging::GridExponents exponents;
};
// One executor is asked for the contributions of these workers, each by itself or as their sum.
struct ExpectGather {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;
  uint64_t session = 0;  // that is asked: nobody else may send it
  bool sum = false;
  bool opened = false;  // sum: it is kept, to be compared with its parts
  uint64_t opens = 0;   // a part of that sum: it is not added, the sum has been
  struct Input {
    int32_t worker = 0;
    uint64_t hash = 0;
    Shared<averaging::Magnitudes> magnitudes;
    std::vector<rpc::NamedPart> parts;  // that the worker keeps to itself
  };
  std::vector<Input> inputs;  // ascending by worker
};
struct DropGather {
  std::string job;
  uint64_t number = 0;
};
// Everything of the round is staged: make the state of `round` out of these contributions.
struct Merge {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;  // a round may be merged again: a dispute can come while it is merged
  struct Input {
    int32_t worker = 0;
    uint64_t hash = 0;
  };
  std::vector<Input> inputs;  // ascending by worker
  averaging::GridExponents exponents;
  bool gathered = false;  // they have been added, and are not there any more
};
// The state of the round may be fetched.
struct Publish {
  std::string job;
  int64_t round = 0;
};
// The round is durable: what is older may go (a checkpoint being written keeps its own).
struct Retire {
  std::string job;
  int64_t round = 0;
};
struct ExpectPart {
  std::string job;
  std::string sha256;
};
struct WriteCheckpoint {
  std::string job;
  int64_t round = 0;
  std::string state_sha256;  // of the round's state; comes back with CheckpointWritten
};
struct DeleteCheckpoint {
  std::string job;
  int64_t round = 0;
  std::string manifest;
};
// Nobody computes it any more: drop its states and staging.
struct ReleaseJob {
  std::string job;
  uint64_t end = 0;  // comes back with EndRecorded; 0: it was paused
};
// An executor has registered: `holder` (rpc::RegisterRequest) may speak for the session until it
// ends.
struct SessionBegan {
  uint64_t session = 0;
  std::string holder;
  std::string executor;
};
struct SessionEnded {
  uint64_t session = 0;
};
// To whoever follows the job; stored in the same batch.
struct Emit {
  std::string job;
  int64_t sequence = 0;
  Json event;
};

struct Log {
  std::string line;
};  // for whoever runs the master

struct AllEffects {
  using Variant = std::variant<Answer, PrepareState, SurveyLog, ReadCommits, OpenRound,
                               ExpectContribution, DropContribution, OpenGather, ExpectGather,
                               DropGather, Merge, Publish, Retire, ExpectPart, WriteCheckpoint,
                               DeleteCheckpoint, ReleaseJob, SessionBegan, SessionEnded, Emit, Log>;
};
using Effect = OneOf<AllEffects>;

// Published states, answers to lease requests, and the writing of checkpoints, which nothing names
// before their own records: nothing else may leave ahead of the batch.
bool MayLeaveAhead(const Effect& effect);

struct Output {
  // May leave before `batch` is durable, in this order (MayLeaveAhead). When the
  // process ends before the batch is written, what was computed from them is computed again, to
  // the same bits.
  std::vector<Effect> ahead;
  storage::MetaBatch batch;
  std::vector<Effect> effects;  // only after `batch` is durable, in this order
  // Kept until `batch` is durable and `effects` have left; ends on another thread.
  std::vector<std::shared_ptr<const void>> let_go;
};

}  // namespace dl::master
