// What is told of jobs that ended: read from the store, and never in the core's memory for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/memory_budget.h"
#include "base/status.h"
#include "master/recovery.h"
#include "storage/meta_store.h"

namespace dl::master {

// The report in a document "ended/ID/WHAT", parsed. Errors as LogRecordFromJson.
StatusOr<Json> EndedReportFromJson(const Json& json, std::string_view where);

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

  // Answers the queries "result", "job" and "checkpoints" of a job that ended, as JSON. NotFound
  // for a job that goes on or is not there; DataLoss for the checkpoints of a damaged job. The
  // answers are stored when the job ends and nothing is parsed for them. Only a job without them,
  // whose records are damaged or of an earlier build, is read as a whole: one at a time, and
  // Unavailable when the turn has not come by `deadline`.
  StatusOr<std::string> Tell(const std::string& what, const std::string& job, Instant deadline);
  // Callers that wait for a turn give up.
  void Close() { whole_jobs_.Close(); }

 private:
  // None when it is not stored.
  StatusOr<std::optional<std::string>> Stored(const std::string& what, const std::string& job);

  storage::MetaStore& store_;
  const DefinitionMaker make_definition_;
  MemoryBudget whole_jobs_{1};  // one at a time is read for Tell: manifests are large
};

}  // namespace dl::master
