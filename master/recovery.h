// Reads what a master left behind into what the core starts from. The first thing that a new master
// writes into its store, before it says anything, is a raised term, so that nothing it says can be
// taken for a word of its predecessor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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

// When the job ended (JobRecord::ended_unix_ms), as far as its record can be read; none when it
// goes on.
StatusOr<std::optional<int64_t>> EndOf(storage::MetaStore& store, const std::string& job);

// The job, if it ended; null when it goes on or there is none. What is wrong with its documents is
// said in it. Errors of the store pass through.
StatusOr<std::shared_ptr<const RecoveredJob>> FindEnded(storage::MetaStore& store,
                                                        const std::string& job,
                                                        const DefinitionMaker& make_definition);

// Loads every job that has not ended, oldest first, of its log what LoadLog reads; then raises the
// term. A job whose documents do not load is there with the reason (RecoveredJob::damage), and in
// nobody's way; one that ended is not read. DataLoss when another document is damaged,
// VersionMismatch when a newer build wrote one of a job's; errors of the store pass through.
// Nothing but the term is written, and in a new folder its secret.
StatusOr<RecoveredState> LoadState(storage::MetaStore& store,
                                   const DefinitionMaker& make_definition);

}  // namespace dl::master
