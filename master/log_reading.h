// Reads round logs from the store: their ends, and the records of rounds that have to be computed
// again.
#pragma once

#include <string>

#include "base/status.h"
#include "master/core/master_events.h"
#include "storage/meta_store.h"

namespace dl::master {

// All functions are thread-safe. They return DataLoss, naming the job, for a record that is
// damaged, missing or does not continue the chain. They return VersionMismatch for a record of a
// newer build, and errors of the store.

// Returns the head of the job's log and the records that it names. Returns the whole log if the
// head does not name them, which happens after a rollback, or if an accepted loss removed the head.
// Returns an empty log if none exists.
StatusOr<JobLog> LoadLog(storage::MetaStore& store, const std::string& job);
// Returns the whole log and verifies that every record names the SHA-256 of the record before it.
StatusOr<JobLog> LoadWholeLog(storage::MetaStore& store, const std::string& job);

// The functions below execute effects of the core. Errors are in `status` of their answers. A
// survey verifies the chain of records from its place on. Records before that need no check,
// because the state from which the job continues is verified by its name.
LogSurveyed Survey(storage::MetaStore& store, const SurveyLog& asked);
CommitsRead Read(storage::MetaStore& store, const ReadCommits& asked);

}  // namespace dl::master
