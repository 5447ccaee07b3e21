// What is told of jobs that ended: read from the store, and never in the core's memory for it.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "master/recovery.h"
#include "storage/meta_store.h"

namespace dl::master {

// What was told of a job when it ended ("ended/ID"): the answers to the queries of these names.
struct EndedReport {
  Json result, job;
};
// Errors as LogRecordFromJson.
StatusOr<EndedReport> EndedReportFromJson(const Json& json, std::string_view where);

// Thread-safe.
class History {
 public:
  // `store` outlives it.
  History(storage::MetaStore& store, DefinitionMaker make_definition)
      : store_(store), make_definition_(std::move(make_definition)) {}

  // The job, if it ended; as FindEnded.
  StatusOr<std::shared_ptr<const RecoveredJob>> Find(const std::string& job) {
    return FindEnded(store_, job, make_definition_);
  }

  // Answers to the queries "result", "job" and "checkpoints" of a job that ended. NotFound for one
  // that goes on or is not there; DataLoss for the checkpoints of one that is damaged.
  StatusOr<Json> Tell(const std::string& what, const std::string& job);

 private:
  // As it was told when the job ended; null where that is not kept, or holds no more.
  StatusOr<Json> Kept(const std::string& what, const std::string& job);

  storage::MetaStore& store_;
  const DefinitionMaker make_definition_;
};

}  // namespace dl::master
