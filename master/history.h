// Reports of ended jobs, read from the store without loading the jobs into the core.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/memory_budget.h"
#include "base/status.h"
#include "master/core/record_keys.h"
#include "master/store_recovery.h"
#include "storage/meta_store.h"

namespace dl::master {

// Thread-safe.
class History {
 public:
  // `store` must outlive this object.
  History(storage::MetaStore& store, DefinitionMaker make_definition)
      : store_(store), make_definition_(std::move(make_definition)) {}

  // Returns the job. Returns null if it has not ended, does not exist, or its state cannot be read.
  // Errors are those of FindEnded.
  StatusOr<std::shared_ptr<const RecoveredJob>> Find(const std::string& job) {
    return FindEnded(store_, job, make_definition_);
  }

  // Returns a report of an ended job, as JSON. Reports are stored when a job ends, so the job
  // itself is not read. The reports kResult and kJob also name quarantined executors whose results
  // the job contains, if no other executor confirmed these results.
  //
  // A job without stored reports (damaged records, or an earlier build) is read completely. This
  // object reads only one of these jobs at a time; a caller waits for its turn until `deadline`.
  //
  // Returns NotFound if the job has not ended, does not exist, or its state cannot be read. Returns
  // DataLoss for kCheckpoints of a damaged job without a stored report, and if the record
  // keys::Unverified of the job is damaged. Returns Unavailable if the turn has not come by
  // `deadline`, or after Close(). Also returns the errors of FindEnded.
  StatusOr<std::string> Report(ReportKind kind, const std::string& job, Instant deadline);
  // Makes waiting and later calls of Report return Unavailable if they need a turn. Stored reports
  // are still returned.
  void Close() { whole_jobs_.Close(); }

 private:
  // Returns nullopt if no report is stored.
  StatusOr<std::optional<std::string>> Stored(ReportKind kind, const std::string& job);

  storage::MetaStore& store_;
  const DefinitionMaker make_definition_;
  MemoryBudget whole_jobs_{1};  // Report reads one job at a time, because manifests are large
};

}  // namespace dl::master
