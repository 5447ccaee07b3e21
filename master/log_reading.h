// Reads round logs from the store: their ends, and the records of rounds that have to be computed
// again.
#pragma once

#include <string>

#include "base/status.h"
#include "master/core/master_events.h"
#include "storage/meta_store.h"

namespace dl::master {

// All functions are thread-safe. Their errors are DataLoss, naming the job, for a record that is
// damaged, missing or does not fit its place in the log; VersionMismatch for a record of a newer
// build; and errors of the store.

// Returns the head of the job's log, and the last commit and the last evaluation, which the head
// names. Does not read the records before them. Returns the whole log if the head does not name
// these two, which happens after a rollback. Also returns the whole log if the head is missing,
// because the operator accepted a loss of records (--accept-loss). Returns an empty log if none
// exists.
StatusOr<JobLog> LoadLog(storage::MetaStore& store, const std::string& job);
// Returns the whole log and verifies that every record names the SHA-256 of the record before it.
// Evaluations are without the figures that MetricSums::DropFigures removes.
StatusOr<JobLog> LoadWholeLog(storage::MetaStore& store, const std::string& job);

// The functions below execute effects of the core. Errors are in `status` of their answers.
//
// Verifies the chain of records from `asked.place` on. Records before that need no check, because
// the state from which the job continues is verified by its name.
LogSurveyed Survey(storage::MetaStore& store, const SurveyLog& asked);
// Verifies that each record is the commit of its round, and not the chain.
CommitsRead Read(storage::MetaStore& store, const ReadCommits& asked);

}  // namespace dl::master
