// Asking a master about its jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::cli {

// A JSON document from the master, which may be so old (rpc::QueryRequest).
StatusOr<Json> QueryJson(rpc::ClientService& client, const std::string& what,
                         const std::string& job = "", int64_t max_age_ms = 0);

// What the master knows of a job. NotFound with the nearest id that it has.
StatusOr<Json> QueryJob(rpc::ClientService& client, const std::string& job, int64_t max_age_ms = 0);
// Whether such a job is in a state that no executor changes any more.
bool HasEnded(const Json& job);

// A ROUND as users name it: a number, "last", or "best" for the best on the test set so far; or
// "NUMBER~ROLLBACK" for a checkpoint that was set aside.
struct RoundName {
  enum class Which { kNumber, kLast, kBest };
  Which which = Which::kLast;
  int64_t number = 0;
  int64_t set_aside = 0;  // kNumber: of the one that this rollback set aside
};
// nullopt for anything else.
std::optional<RoundName> ParseRound(const std::string& text);

// "JOB@ROUND", or "JOB" for its newest.
struct CheckpointName {
  std::string job;
  RoundName round;
};
// UsageError for a round that is none.
StatusOr<CheckpointName> ParseCheckpointName(const std::string& text);
// What `checkpoints` shows of it. NotFound with the nearest job, or with the rounds that there are.
StatusOr<Json> CheckpointOf(const CheckpointName& name, rpc::ClientService& client);
// The name in full, "JOB@ROUND".
StatusOr<std::string> FindCheckpoint(const std::string& text, rpc::ClientService& client);

}  // namespace dl::cli
