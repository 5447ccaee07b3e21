// What clients and the master say to each other (rpc/messages.h): jobs, datasets, actions, queries,
// events, tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rpc/scheduling.h"
#include "security/role.h"

namespace dl::rpc {

struct SubmitRequest {
  std::string request_id;  // chosen by the client: a retry with the same one answers the same job
  std::string spec;        // canonical JSON, every default frozen, data by manifest
  std::string train_manifest;
  std::string test_manifest;
  std::string resume_from;  // "JOB@ROUND": full state; or empty
  std::string init_from;    // "JOB@ROUND": weights only; or empty
  Scheduling scheduling;
  // Who asks. It does not travel: the server fills it in, of the connection.
  security::Identity by;
  bool operator==(const SubmitRequest&) const = default;
};

struct SubmitReply {
  std::string job;
  std::string contract;        // kernel contract that the job is bound to; empty: not decided yet
  int32_t executors = 0;       // registered that offer it, and the memory for a unit
  int32_t excluded = 0;        // registered that compute under another one
  int32_t too_small = 0;       // registered whose memory for units holds none of its units
  int32_t without_labels = 0;  // registered that lack labels which it needs
  int64_t unit_bytes = 0;      // what one unit of it takes of an executor's memory
  int64_t largest_unit_memory = 0;  // what the largest of those that are too small offers
  // How many of its units may be computed at once, by those that may compute it and as many of them
  // as its scheduling lets; 0: nobody is there, the contract is not decided, or an older master.
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

// At most limits::kMaxPutBlocks of them, and of kMaxBlockBytes together.
struct PutBlocksRequest {
  std::vector<std::string> sha256;
  std::vector<int64_t> sizes;  // of each, in bytes
  std::string bytes;           // all of them, whole, one behind the other
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
  int64_t round = -1;     // kPin, kUnpin: the checkpoint
  bool rebind = false;    // kResume: start a new kernel contract at the last commit
  std::string isa;        // with `rebind`: the instruction set of that one; empty: as the job says
  security::Identity by;  // as in SubmitRequest
  bool operator==(const JobActionRequest&) const = default;
};

struct JobActionReply {
  std::string message;  // what will happen, for people
  bool operator==(const JobActionReply&) const = default;
};

// What: "jobs" (a page of them), "job", "result", "cluster", "checkpoints", "log" (a page of the
// round log), "spec", "train_manifest", "test_manifest". The answers are JSON documents
// (docs/protocol.md).
struct QueryRequest {
  std::string what;
  std::string job;
  // What the page begins with: of "log" the record, counted from 0; of "jobs" the submission,
  // counted from 1 (0 too).
  int64_t first = 0;
  // How old an answer may be; 0: as things are now. Who polls, and is content with an older one,
  // waits neither for the core nor for the disk.
  int64_t max_age_ms = 0;
  bool operator==(const QueryRequest&) const = default;
};

struct QueryReply {
  std::string json;
  int64_t next_page = 0;  // "log", "jobs": what the next page begins with; 0: this is the last page
  int64_t age_ms = 0;     // at most max_age_ms
  bool operator==(const QueryReply&) const = default;
};

struct EventsRequest {
  std::string job;
  int64_t after = 0;  // sequence number of the last event seen; 0 for all that are kept
  int64_t wait_ms = 0;
  bool operator==(const EventsRequest&) const = default;
};

struct EventsReply {
  std::vector<std::string> events;  // one JSON document each, with "seq"
  int64_t last = 0;
  bool terminal = false;  // the job is in a terminal state and `events` ends with its result
  bool operator==(const EventsReply&) const = default;
};

// They finish what they compute and leave.
struct DrainRequest {
  std::string executors;  // one by its name, or all of a host
  bool operator==(const DrainRequest&) const = default;
};

struct DrainReply {
  std::vector<std::string> executors;  // that are told, by their names
  bool operator==(const DrainReply&) const = default;
};

// What its bytes are does not matter: how long they take is what is measured.
struct MeasureRequest {
  std::string bytes;
  int64_t reply_bytes = 0;  // how many are to come back: limits::kChunkBytes at most
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
  int64_t lifetime_ms = 0;  // 0: for ever
  std::string executor;     // of the role execute: the one name that it is for; "": any
  bool operator==(const CreateTokenRequest&) const = default;
};

struct CreateTokenReply {
  std::string token;  // told once, and kept by nobody here
  bool operator==(const CreateTokenReply&) const = default;
};

struct ListTokensRequest {
  bool operator==(const ListTokensRequest&) const = default;
};

struct ListTokensReply {
  std::string json;  // a list, without secrets (docs/protocol.md)
  bool operator==(const ListTokensReply&) const = default;
};

struct RevokeTokenRequest {
  std::string id;
  bool operator==(const RevokeTokenRequest&) const = default;
};

}  // namespace dl::rpc
