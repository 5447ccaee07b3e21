// Asking a master about its jobs.
#pragma once

#include <string>

#include "base/json.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::cli {

// A JSON document from the master.
StatusOr<Json> QueryJson(rpc::ClientService& client, const std::string& what,
                         const std::string& job = "");

// What the master knows of a job. NotFound with the nearest id that it has.
StatusOr<Json> QueryJob(rpc::ClientService& client, const std::string& job);
// Whether such a job is in a state that no executor changes any more.
bool HasEnded(const Json& job);

// "JOB@ROUND", or "JOB" for its newest.
struct CheckpointName {
  std::string job;
  int64_t round = -1;  // -1: the newest
};
// UsageError for a round that is no number.
StatusOr<CheckpointName> ParseCheckpointName(const std::string& text);
// The name in full, "JOB@ROUND". NotFound with the nearest job, or with the rounds that there are.
StatusOr<std::string> FindCheckpoint(const std::string& text, rpc::ClientService& client);

}  // namespace dl::cli
