// Reads what a master left behind into what the core starts from. The first thing that a new master
// writes into its store, before it says anything, is a raised term, so that nothing it says can be
// taken for a word of its predecessor.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "master/core/core.h"
#include "storage/meta_store.h"

namespace dl::master {

// Makes what the core knows of a job from its stored documents; the same after every restart.
// `test_manifest` may be empty.
using DefinitionMaker = std::function<StatusOr<JobDefinition>(
    const std::string& job_id, const std::string& spec, const std::string& train_manifest,
    const std::string& test_manifest)>;

// The whole round log of a job, empty when there is none: every record names the SHA-256 of the one
// before it, as stored. DataLoss, naming the job and the record, when one is damaged, missing or
// does not follow.
StatusOr<JobLog> LoadLog(storage::MetaStore& store, const std::string& job);

// The request as the core takes it: to resume, it needs the job's log. Errors of LoadLog.
StatusOr<UserAction> ReadyForCore(storage::MetaStore& store, rpc::JobActionRequest request);

// Loads every job, oldest first, of one that ended only the end of its log; then raises the term.
// A job whose documents do not load is there with the reason (RecoveredJob::damage), and in
// nobody's way. DataLoss when another document is damaged; errors of the store pass through.
// Nothing but the term is written, and in a new folder its secret.
StatusOr<RecoveredState> LoadState(storage::MetaStore& store,
                                   const DefinitionMaker& make_definition);

}  // namespace dl::master
