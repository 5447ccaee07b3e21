// Remedies as data: what a user can do about an error, a warning or a job that does not proceed.
// The master names the remedy and its arguments. Clients turn it into a sentence with their own
// commands (rpc/remedy_text.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"

namespace dl::rpc {

// Sent by number: never reuse a value. rpc/remedy.cc has the names in JSON.
enum class RemedyKind : uint8_t {
  kNone = 0,
  kListJobs = 1,
  kListCheckpoints = 2,       // of `job`
  kListExecutors = 3,         // registered ones
  kShowJob = 4,               // show the state of `job`
  kShowQueue = 5,             // show which jobs are ahead of `job`
  kFollow = 6,                // follow `job`
  kResume = 7,                // continue `job`
  kResumeWithMoreMemory = 8,  // raise the memory limit of the processes, then continue `job`
  kResumeOther = 9,        // continue `job`, for which another job waits, or cancel the other one
  kResumeFirst = 10,       // continue `job`, then submit, or submit without waiting for it
  kResumeThenRepeat = 11,  // continue `job`, and repeat the request when it is running
  kRebind = 12,            // cancel `job` and continue it under a contract with `isa`, if not ""
  kCancelFirst = 13,       // cancel `job`
  kFreePausedJobs = 14,    // resume or cancel some paused jobs
  kBeginFrom = 15,         // start another job from checkpoint `round` of `job`
  kSubmitAgain = 16,       // submit `job` again, with its spec
  kUseSameModel = 17,      // use a checkpoint of a model like that of `job`
  kDivideToken = 18,       // end some executors, or give others another token
  kTokenPerMachine = 19,   // give each machine a token of its own
  kLargerExecutor = 20,    // start an executor with at least `mebibytes` of memory
  kChooseIsa = 21,         // submit jobs for executors with `isa` alone, or rebind `job` to it
  kImportFirst = 22,       // submit with a client that imports and uploads the files of the job
};

struct Remedy {
  RemedyKind kind = RemedyKind::kNone;
  std::string job;        // empty: not about a job
  int64_t round = -1;     // -1: not about a round
  std::string isa;        // kRebind, kChooseIsa
  int64_t mebibytes = 0;  // kLargerExecutor: memory of the process

  bool operator==(const Remedy&) const = default;
};

// Returns {"name"}, and "job", "round", "isa" and "mebibytes" if they have a value. Requires a kind
// other than kNone.
Json ToJson(const Remedy& remedy);
// Returns the remedy of ToJson, or nullopt for other JSON, for example a remedy of a newer build.
std::optional<Remedy> RemedyFromJson(const Json& json);

// Returns whether `kind` is the number of a remedy that this build knows. kNone is not a remedy.
bool IsRemedyKind(int64_t kind);

// Returns the same error with this remedy as data, which replaces an earlier one. Returns `status`
// unchanged if it is OK or the remedy is kNone.
Status AttachRemedy(const Status& status, const Remedy& remedy);
// Returns the remedy that AttachRemedy added. `kind` is kNone if the error has none.
Remedy RemedyOf(const Status& status);

}  // namespace dl::rpc
