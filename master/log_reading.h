// Reads round logs from the store: where they end, and the stretches that a job needs which has to
// compute rounds again.
#pragma once

#include <string>

#include "base/status.h"
#include "master/core/events.h"
#include "storage/meta_store.h"

namespace dl::master {

// All of these are thread-safe. DataLoss names the job and the record that is damaged, missing or
// does not follow; VersionMismatch one that a newer build wrote; errors of the store pass through.

// The head of the job's log and the records that it names; all of the log where the head does not
// tell them: behind a rollback, and where an accepted loss took the head. Empty when there is none.
StatusOr<JobLog> LoadLog(storage::MetaStore& store, const std::string& job);
// The whole log: every record names the SHA-256 of the one before it, as stored.
StatusOr<JobLog> LoadWholeLog(storage::MetaStore& store, const std::string& job);

// Answers of the core's effects. A survey verifies the chain of records behind its place; what they
// were before it, the state that the job goes on from answers for.
LogSurveyed Survey(storage::MetaStore& store, const SurveyLog& asked);
CommitsRead Read(storage::MetaStore& store, const ReadCommits& asked);

}  // namespace dl::master
