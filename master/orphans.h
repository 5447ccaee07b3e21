// Checkpoints in the bulk store that never became visible, or whose record is gone.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "master/core/core.h"
#include "storage/checkpoint_store.h"
#include "storage/meta_store.h"

namespace dl::master {

// Removes the chunks of all checkpoints that no record names, those of jobs that ended included.
// Jobs with damaged records keep everything: their records do not say all that is theirs. With
// `aside` the chunks are moved into this folder instead. Returns the number of checkpoints.
// REQUIRES: no checkpoint is being written.
StatusOr<int64_t> CollectOrphans(const RecoveredState& recovered, storage::MetaStore& meta,
                                 storage::CheckpointStore& checkpoints, const std::string& aside);

}  // namespace dl::master
