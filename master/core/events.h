// What goes into the core and what comes out. Step(event, now) is a pure function of the core's
// state: every input is here, every consequence is an effect or a persisted record.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "averaging/accumulator.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/status.h"
#include "master/core/announcement.h"
#include "master/core/definition.h"
#include "master/core/round_log.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

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
};

// What a user asks of a job that is there.
struct UserAction {
  rpc::JobActionRequest request;
  JobLog log;  // kResume: the job's whole log, read just now
};

struct Tick {};  // a timer of NextDeadline() is due
struct SessionDisconnected {
  uint64_t session = 0;
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
// The engine finished a Merge effect, or could not.
struct RoundMerged {
  std::string job;
  int64_t round = 0;
  uint64_t merge = 0;  // Merge::number
  StateNames names;
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
// A client reads the checkpoint, piece by piece: retention lets it be meanwhile.
struct CheckpointRead {
  std::string job;
  int64_t round = 0;
};
struct ShutdownRequested {};  // SIGTERM: checkpoint what runs, then ReadyToStop()

using Event = std::variant<Tick, Asked<rpc::RegisterRequest>, Asked<rpc::HeartbeatRequest>,
                           Asked<rpc::GoodbyeRequest>, Asked<rpc::LeaseRequest>,
                           Asked<Announcement>, Asked<rpc::FailureReport>, Asked<Submission>,
                           Asked<UserAction>, Asked<rpc::QueryRequest>, SessionDisconnected,
                           ContributionStaged, ContributionRefused, RoundMerged, StatePrepared,
                           PartArrived, CheckpointWritten, CheckpointRead, ShutdownRequested>;

// ---- effects ----

using Reply =
    std::variant<std::monostate, rpc::RegisterReply, rpc::HeartbeatReply, rpc::LeaseReply,
                 rpc::AnnounceReply, rpc::SubmitReply, rpc::JobActionReply, rpc::QueryReply>;
struct Answer {
  uint64_t token = 0;
  Status status;
  Reply reply;
};

// Where a state comes from.
struct PrepareState {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;  // a job may go back while a state is being prepared
  enum class Source : uint8_t {
    kInitial,
    kCheckpoint,
    kOtherCheckpoint,
    kWeightsOnly,
    kParts
  } source = Source::kInitial;
  std::string checkpoint_manifest;  // kCheckpoint, kOtherCheckpoint, kWeightsOnly
  StateNames parts;                 // kParts: arrived parts that make the state
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
  uint64_t hash = 0;
  int64_t bytes = 0;
  averaging::Magnitudes magnitudes;
};
struct DropContribution {
  UnitId unit;
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
struct ReleaseJob {
  std::string job;
};  // terminal: drop its states and staging
struct Emit {
  std::string job;
  Json event;
};  // to whoever follows the job

struct Log {
  std::string line;
};  // for whoever runs the master

using Effect = std::variant<Answer, PrepareState, OpenRound, ExpectContribution, DropContribution,
                            Merge, Publish, Retire, ExpectPart, WriteCheckpoint, DeleteCheckpoint,
                            ReleaseJob, Emit, Log>;

// Published states and answers to lease requests: nothing else may leave ahead of the batch.
bool MayLeaveAhead(const Effect& effect);

struct Output {
  // May leave before `batch` is durable, in this order (MayLeaveAhead). When the
  // process ends before the batch is written, what was computed from them is computed again, to
  // the same bits.
  std::vector<Effect> ahead;
  storage::MetaBatch batch;
  std::vector<Effect> effects;  // only after `batch` is durable, in this order
};

}  // namespace dl::master
