// Reads the stores into the state with which the core starts. A new master increases the term
// durably before it sends any message. Its messages can therefore not be mistaken for those of its
// predecessor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "master/core/master_core.h"
#include "storage/meta_store.h"

namespace dl::master {

// Computes the core's definition of a job from its stored documents. The result depends only on
// them and the build of the program. `test_manifest` may be empty.
using DefinitionMaker = std::function<StatusOr<JobDefinition>(
    const std::string& job_id, const std::string& spec, const std::string& train_manifest,
    const std::string& test_manifest)>;

// Returns when the job ended (JobRecord::ended_unix_ms; 0: unknown). Returns nullopt if it has not
// ended, does not exist, or its state cannot be read. Returns VersionMismatch for a record of a
// newer build, and errors of the store.
StatusOr<std::optional<int64_t>> EndOf(storage::MetaStore& store, const std::string& job);

// Returns the job if it has ended. Returns null if it has not ended, does not exist, or its state
// cannot be read. Other damage of its documents is in RecoveredJob::damage. Returns VersionMismatch
// for a document of a newer build, and errors of the store.
StatusOr<std::shared_ptr<const RecoveredJob>> FindEnded(storage::MetaStore& store,
                                                        const std::string& job,
                                                        const DefinitionMaker& make_definition);

// Loads every job that has not ended, oldest first, with the records of LoadLog. Then increases the
// term. A job whose documents do not load is returned with the reason (RecoveredJob::damage) and
// affects no other job. Returns DataLoss if another document is damaged, VersionMismatch if a newer
// build wrote a document of a job, and errors of the store. Writes only the term, the secret of a
// new folder, and numbers of jobs that are missing in the store (keys::Number). Sets
// RecoveredState::start to the term: the caller replaces it by a number that no other start has.
StatusOr<RecoveredState> LoadState(storage::MetaStore& store,
                                   const DefinitionMaker& make_definition);

}  // namespace dl::master
