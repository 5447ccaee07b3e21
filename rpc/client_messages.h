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
  std::string request_id;  // chosen by the client; a retry with the same id returns the same job
  std::string spec;        // canonical JSON with all defaults; data as manifests
  std::string train_manifest;
  std::string test_manifest;
  std::string resume_from;  // "JOB@ROUND": restore the full state; or empty
  std::string init_from;    // "JOB@ROUND": take only the weights; or empty
  Scheduling scheduling;
  // Identity of the caller. Set by the server for each connection, not transmitted.
  security::Identity by;
  bool operator==(const SubmitRequest&) const = default;
};

struct SubmitReply {
  std::string job;
  std::string contract;             // kernel contract of the job; empty: not decided yet
  int32_t executors = 0;            // registered executors with this contract and enough memory
  int32_t excluded = 0;             // registered executors with another contract
  int32_t too_small = 0;            // registered executors with too little memory for a unit
  int32_t without_labels = 0;       // registered executors that lack required labels
  int64_t unit_bytes = 0;           // memory of one unit on an executor
  int64_t largest_unit_memory = 0;  // largest unit memory of the executors counted in `too_small`
  // Number of units of the job that can be computed at once, given the executors and the job's
  // scheduling. 0: no executor, no contract yet, or an older master.
  int64_t slots = 0;
  bool operator==(const SubmitReply&) const = default;
};

struct MissingBlocksRequest {
  std::vector<std::string> sha256;
  bool operator==(const MissingBlocksRequest&) const = default;
};

struct MissingBlocksReply {
  std::vector<std::string> missing;
  bool operator==(const MissingBlocksReply&) const = default;
};

// At most limits::kMaxPutBlocks blocks with at most kMaxBlockBytes in total.
struct PutBlocksRequest {
  std::vector<std::string> sha256;
  std::vector<int64_t> sizes;  // bytes of each block
  std::string bytes;           // concatenated contents of all blocks
  bool operator==(const PutBlocksRequest&) const = default;
};

enum class JobAction : uint8_t {
  kCancel = 1,
  kResume = 2,
  kCheckpoint = 3,
  kPin = 4,
  kUnpin = 5,
  kDelete = 6,
  kPause = 7
};

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
  std::string request_id;
  std::string job;
  JobAction action = JobAction::kCancel;
  int64_t round = -1;   // kPin, kUnpin: the checkpoint
  bool rebind = false;  // kResume: use a new kernel contract from the last commit on
  std::string isa;      // with `rebind`: instruction set of the new contract; empty: as in the job
  security::Identity by;  // as in SubmitRequest
  bool operator==(const JobActionRequest&) const = default;
};

struct JobActionReply {
  std::string message;  // what will happen, for people
  bool operator==(const JobActionReply&) const = default;
};

// `what` is "jobs" (a page of jobs), "job", "result", "cluster", "checkpoints", "log" (a page of
// the round log), "spec", "train_manifest" or "test_manifest". Answers are JSON documents
// (docs/protocol.md).
struct QueryRequest {
  std::string what;
  std::string job;
  // First entry of the page. "log": index of the record, from 0. "jobs": number of the submission,
  // from 1; 0 is the same as 1.
  int64_t first = 0;
  // Largest acceptable age of the answer. 0: current. A client that polls and accepts an older
  // answer waits neither for the core nor for the disk.
  int64_t max_age_ms = 0;
  bool operator==(const QueryRequest&) const = default;
};

struct QueryReply {
  std::string json;
  int64_t next_page = 0;  // "log", "jobs": first entry of the next page; 0: last page
  int64_t age_ms = 0;     // at most max_age_ms
  bool operator==(const QueryReply&) const = default;
};

struct EventsRequest {
  std::string job;
  int64_t after = 0;  // sequence number of the last event received; 0: all available events
  int64_t wait_ms = 0;
  bool operator==(const EventsRequest&) const = default;
};

struct EventsReply {
  std::vector<std::string> events;  // one JSON document each, with "seq"
  int64_t last = 0;
  bool terminal = false;  // the job has ended, and `events` ends with its result
  bool operator==(const EventsReply&) const = default;
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

// A measurement of the network. The content of `bytes` is ignored; only the transfer time matters.
struct MeasureRequest {
  std::string bytes;
  int64_t reply_bytes = 0;  // size of the answer, at most limits::kChunkBytes
  bool operator==(const MeasureRequest&) const = default;
};

struct MeasureReply {
  std::string bytes;
  int64_t unix_ms = 0;  // the master's clock
  bool operator==(const MeasureReply&) const = default;
};

struct CreateTokenRequest {
  std::string owner;
  std::string role;         // security::RoleName
  int64_t lifetime_ms = 0;  // 0: unlimited
  std::string executor;     // role execute: the only allowed executor name; "": any name
  bool operator==(const CreateTokenRequest&) const = default;
};

struct CreateTokenReply {
  std::string token;  // shown only once; the master does not store it
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
  std::string id;
  bool operator==(const RevokeTokenRequest&) const = default;
};

}  // namespace dl::rpc
