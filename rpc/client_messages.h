// Messages between clients and the master (rpc/messages.h): jobs, datasets, actions, queries,
// events, tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rpc/scheduling_fields.h"
#include "security/role.h"

namespace dl::rpc {

struct SubmitRequest {
  std::string request_id;  // chosen by the client, not empty; repeated: see ClientService::Submit
  std::string spec;        // canonical JSON with all defaults; data as manifests
  std::string train_manifest;
  std::string test_manifest;
  std::string resume_from;  // "JOB@ROUND": restore the full state; or empty
  std::string init_from;    // "JOB@ROUND": take only the model (weights, moments); or empty
  Scheduling scheduling;
  // Identity of the caller. Set by the server, not transmitted.
  security::Identity by;
  bool operator==(const SubmitRequest&) const = default;
};

struct SubmitReply {
  std::string job;       // id of the job
  std::string contract;  // kernel contract of the job; empty: not decided yet
  // Registered executors by what they can do for the job. An executor that lacks several things is
  // counted once. `executors` and `excluded` are 0 while the contract is not decided.
  int32_t executors = 0;            // can compute it: lack nothing, not quarantined, not leaving
  int32_t excluded = 0;             // cannot use its contract
  int32_t too_small = 0;            // have too little memory for a unit
  int32_t without_labels = 0;       // lack required labels
  int64_t unit_bytes = 0;           // memory of one unit on an executor
  int64_t largest_unit_memory = 0;  // largest unit memory of the executors counted in `too_small`
  // Number of units that the executors can compute at once, within the job's max_executors.
  // Quarantined, leaving and disconnected executors are not counted. 0: no executor is counted, or
  // the contract is not decided.
  int64_t slots = 0;
  bool operator==(const SubmitReply&) const = default;
};

struct MissingBlocksRequest {
  std::vector<std::string> sha256;  // names of blocks
  bool operator==(const MissingBlocksRequest&) const = default;
};

struct MissingBlocksReply {
  std::vector<std::string> missing;  // names that the master lacks, in the order of the request
  bool operator==(const MissingBlocksReply&) const = default;
};

// At most limits::kMaxPutBlocks blocks with at most kMaxBlockBytes in total.
struct PutBlocksRequest {
  std::vector<std::string> sha256;
  std::vector<int64_t> sizes;  // bytes of each block
  std::string bytes;           // concatenated contents of all blocks
  security::Identity by = {};  // as in SubmitRequest
  bool operator==(const PutBlocksRequest&) const = default;
};

// Sent by number: never reuse a value.
enum class JobAction : uint8_t {
  kCancel = 1,      // end the job; a running job writes a last checkpoint first
  kResume = 2,      // continue a paused, cancelled, failed or rejected job at its last commit
  kCheckpoint = 3,  // write a checkpoint of the last committed round
  kPin = 4,         // protect a checkpoint from deletion
  kUnpin = 5,       // allow the deletion of a pinned checkpoint
  kDelete = 6,      // delete an ended job and free its disk space
  kPause = 7        // write a checkpoint, if the job is running, and release the executors
};

// Returns the word for the action on the command line and in the audit log.
constexpr std::string_view JobActionName(JobAction action) {
  switch (action) {
    case JobAction::kCancel:
      return "cancel";
    case JobAction::kResume:
      return "resume";
    case JobAction::kCheckpoint:
      return "checkpoint";
    case JobAction::kPin:
      return "pin";
    case JobAction::kUnpin:
      return "unpin";
    case JobAction::kDelete:
      return "delete";
    case JobAction::kPause:
      return "pause";
  }
  return "";
}

struct JobActionRequest {
  std::string request_id;  // chosen by the client, not empty; repeated: see ClientService::Act
  std::string job;         // id of the job
  JobAction action = JobAction::kCancel;
  // kPin, kUnpin: the checkpoint. kDelete: a job with a pinned checkpoint after this round stays.
  int64_t round = -1;
  // kPin, kUnpin: number of the rollback that set the checkpoint aside; 0: its round counts.
  int64_t set_aside = 0;
  bool rebind = false;  // kResume: use a new kernel contract from the last commit on
  // With `rebind`: instruction set of the new contract, one of the job's precision
  // (nn/conf/contract_id.h); empty: as in the job's spec. Must be empty without `rebind`, and for a
  // job with portable kernels.
  std::string isa;
  security::Identity by;  // as in SubmitRequest
  bool operator==(const JobActionRequest&) const = default;
};

struct JobActionReply {
  std::string message;  // what will happen, for people
  bool operator==(const JobActionReply&) const = default;
};

// The subject of a query. Sent by number: never reuse a value.
enum class QueryKind : uint8_t {
  kJobs = 1,     // a page of jobs
  kCluster = 2,  // the master and its executors
  kJob = 3,
  kResult = 4,
  kCheckpoints = 5,
  kSpec = 6,
  kTrainManifest = 7,
  kTestManifest = 8,
  kLog = 9,         // a page of the round log
  kSeries = 10,     // figures by round
  kTimeline = 11,   // a page of the leases of units by round
  kHistograms = 12  // a page of histograms of layers by round
};

// Each answer is one JSON document (docs/protocol.md).
struct QueryRequest {
  QueryKind what = QueryKind::kJobs;
  std::string job;  // not used by kJobs and kCluster
  // First entry of the page. kLog: index of the record, from 0. kJobs: number of the submission,
  // from 1; 0 is the same as 1. kSeries, kTimeline, kHistograms: first round; 0 is
  // the same as 1.
  int64_t first = 0;
  // Largest acceptable age of the answer. 0: current. If the master has an answer that is young
  // enough, the client waits neither for the core nor for the disk. Not used by kLog, kSpec,
  // kSeries, kTimeline, kHistograms and manifests.
  int64_t max_age_ms = 0;
  // kSeries, kHistograms: patterns of names, separated by commas. "*" in a pattern stands for any
  // characters. The name of a histogram is "layer/LAYER/parameters", "layer/LAYER/changes" or
  // "layer/LAYER/activations".
  std::string series;
  // kSeries, kTimeline, kHistograms: last round; 0: the last one that counts. kJobs: above 0, the
  // page has jobs in descending order, from the submission with this number, or the newest one if
  // there are fewer.
  int64_t last = 0;
  // kSeries: most entries of a curve, at least 2; 0: 1000. kHistograms: most rounds of the range,
  // at least 1, spread evenly; 0: all recorded rounds.
  int64_t max_entries = 0;
  // kSeries: number of a rollback: curves of the rounds that it removed; 0: main curve.
  int64_t branch = 0;
  bool buckets = false;  // kHistograms: also the counts of the buckets
  bool operator==(const QueryRequest&) const = default;
};

struct QueryReply {
  std::string json;
  // kLog, kJobs, kTimeline, kHistograms: `first` of the next page; 0: this is the last page. For
  // kJobs in descending order it is `last` of the next page.
  int64_t next_first = 0;
  int64_t age_ms = 0;  // at most max_age_ms
  bool operator==(const QueryReply&) const = default;
};

struct EventsRequest {
  std::string job;
  int64_t after = 0;  // sequence number of the last event received; 0: from the oldest event on
  // How long to wait for an event. Values over limits::kLongPoll count as limits::kLongPoll.
  int64_t wait_ms = 0;
  bool operator==(const EventsRequest&) const = default;
};

struct EventsReply {
  // Events in order, one JSON document each. All have "seq" except a job's result. At most
  // limits::kMaxEventsPerReply, and about kMaxEventBytesPerReply bytes; the next request returns
  // the following ones. Empty: no event within `wait_ms`.
  std::vector<std::string> events;
  int64_t last = 0;       // `after` of the next request
  bool terminal = false;  // the job has ended, and `events` ends with its result
  bool operator==(const EventsReply&) const = default;
};

// The end of the reading of a checkpoint (FetchRequest::reader).
struct EndReadRequest {
  std::string checkpoint;  // JOB@ROUND or JOB@ROUND~ROLLBACK
  uint64_t reader = 0;
  bool operator==(const EndReadRequest&) const = default;
};

// Executors to drain: they finish their units and leave.
struct DrainRequest {
  std::string executors;  // name of an executor, or a host for all its executors
  bool operator==(const DrainRequest&) const = default;
};

struct DrainReply {
  std::vector<std::string> executors;  // names of the executors that will leave
  bool operator==(const DrainReply&) const = default;
};

// A measurement of the network, and of the difference between two clocks. The content of `bytes` is
// ignored.
struct MeasureRequest {
  std::string bytes;
  int64_t reply_bytes = 0;  // size of the answer, from 0 to limits::kChunkBytes
  bool operator==(const MeasureRequest&) const = default;
};

struct MeasureReply {
  std::string bytes;    // `reply_bytes` zeros
  int64_t unix_ms = 0;  // the master's clock
  bool operator==(const MeasureReply&) const = default;
};

struct CreateTokenRequest {
  std::string owner;        // security::IsOwnerName
  std::string role;         // security::RoleName
  int64_t lifetime_ms = 0;  // 0: unlimited
  std::string executor;     // role execute: the only allowed executor name; "": any name
  bool operator==(const CreateTokenRequest&) const = default;
};

struct CreateTokenReply {
  std::string token;  // in the form of security::ToString; the master stores only a hash
  bool operator==(const CreateTokenReply&) const = default;
};

struct ListTokensRequest {
  bool operator==(const ListTokensRequest&) const = default;
};

struct ListTokensReply {
  std::string json;  // list without secrets (docs/protocol.md)
  bool operator==(const ListTokensReply&) const = default;
};

struct RevokeTokenRequest {
  std::string id;  // security::Token::id
  bool operator==(const RevokeTokenRequest&) const = default;
};

}  // namespace dl::rpc
