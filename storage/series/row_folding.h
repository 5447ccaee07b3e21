// Folds the rows of a job into blocks by series, so that a page reads only what it shows.
#pragma once

#include <string>

#include "base/status.h"
#include "storage/meta_store.h"

namespace dl::storage {

// Number of newest rollbacks whose branches are kept, and largest number of values of a branch.
inline constexpr size_t kBranchesKept = 100;
inline constexpr int64_t kMaxBranchValues = 4 << 20;

// Returns the changes that fold the rows of the job, as many as ReadPendingRows returns: they write
// blocks and delete the rows. The rows of the last round stay, because additions may follow, unless
// a large gap of rounds follows. The batch is empty if there are no other rows. A branch keeps the
// last rounds whose values, over all series, are at most kMaxBranchValues. Returns DataLoss if a
// record is damaged, and errors of the store.
//
// The job's series must not change between this call and the write of the batch, except that rows
// may be added.
StatusOr<MetaBatch> FoldRows(MetaStore& store, const std::string& job);

}  // namespace dl::storage
