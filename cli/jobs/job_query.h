// Queries a master about its jobs.
#pragma once

#include <cstdint>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "dataset/manifest.h"
#include "rpc/checkpoint_list.h"
#include "rpc/messages.h"
#include "rpc/service.h"

namespace dl::cli {

// Returns a JSON document of the master. It may be up to `max_age_ms` old (rpc::QueryRequest).
// Returns errors of the master, and InvalidArgument if its answer is not JSON.
StatusOr<Json> QueryJson(rpc::ClientService& client, rpc::QueryKind what,
                         const std::string& job = "", int64_t max_age_ms = 0);

// Returns the manifest of the training set of a job. Returns errors of the master, and those of
// dataset::ManifestFromJson.
StatusOr<dataset::Manifest> QueryTrainingManifest(rpc::ClientService& client,
                                                  const std::string& job);

// Returns what the master knows about a job. Returns NotFound, with the most similar id if there is
// one, if the job does not exist.
StatusOr<Json> QueryJob(rpc::ClientService& client, const std::string& job, int64_t max_age_ms = 0);
// Returns whether the job, as QueryJob returned it, is in a terminal state.
bool HasEnded(const Json& job);

// "JOB@ROUND", or "JOB" for the newest checkpoint.
struct CheckpointName {
  std::string job;
  rpc::RoundName round;
};
// Parses a name. Returns UsageError if the text has "@" and its job is empty or its round invalid.
StatusOr<CheckpointName> ParseCheckpointName(const std::string& text);
// Returns the entry of a checkpoint in the query "checkpoints". Returns NotFound, with the most
// similar job or the existing rounds, if it does not exist, or if the best one was not kept. A
// checkpoint that was set aside is never the last or the best one. Other errors are those of
// QueryJob.
StatusOr<Json> CheckpointOf(const CheckpointName& name, rpc::ClientService& client);
// Returns the full name "JOB@ROUND". Errors are those of the two functions above.
StatusOr<std::string> FindCheckpoint(const std::string& text, rpc::ClientService& client);

}  // namespace dl::cli
