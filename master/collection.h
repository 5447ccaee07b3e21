// Deletes what remains of deleted jobs after their records: blocks that no other job names, and
// space in the stores.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>

#include "base/status.h"
#include "storage/meta_store.h"

namespace dl::master {

// Deletes the blocks with these names, or decides that some stay for another reason.
using DeleteBlocks = std::function<Status(std::span<const std::string> names)>;
// Completes deletions, also those interrupted by a kill. For every job that is noted as deleted,
// deletes the blocks that only deleted jobs name, then the job's manifests and the note, and frees
// the space of its records. A damaged manifest of a deleted job names no blocks. After any other
// error of the store, of a manifest or of `delete_blocks` nothing more is deleted. A later call
// tries again, except to free the space of records. REQUIRES: no job is submitted during the call.
Status CollectDeleted(storage::MetaStore& meta, const DeleteBlocks& delete_blocks);

// Removes from `blocks` all blocks that are named by a job outside of `except`. Reads the manifests
// of all these jobs until `blocks` is empty. Returns the error of a manifest that cannot be read,
// because the blocks that it names are unknown, and errors of the store.
Status EraseNamed(storage::MetaStore& meta, const std::set<std::string>& except,
                  std::set<std::string>& blocks);

}  // namespace dl::master
