// Checkpoints in the bulk store that never became visible, or whose record was deleted.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "master/core/master_core.h"
#include "storage/checkpoint_store.h"
#include "storage/meta_store.h"

namespace dl::master {

// Deletes the chunks of all checkpoints that no record names. Reads the records of all checkpoints,
// also of ended jobs. Chunks stay if a record of their job is damaged, because other records of the
// job may be missing. If `aside` is not empty, the chunks are moved to that folder instead. Returns
// the number of checkpoints that were deleted or moved, or errors of the stores. REQUIRES: no
// checkpoint is being written.
StatusOr<int64_t> CollectOrphans(const RecoveredState& recovered, storage::MetaStore& meta,
                                 storage::CheckpointStore& checkpoints, const std::string& aside);

}  // namespace dl::master
