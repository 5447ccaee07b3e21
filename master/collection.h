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

// Deletes the blocks with these names. May keep some of them (Uploads::DeleteReleased).
using DeleteBlocks = std::function<Status(std::span<const std::string> names)>;
// Completes the deletion of all jobs that have a record keys::Deleted, also after a kill:
//
// 1. Passes the blocks that only these jobs name to `delete_blocks`. If a manifest of such a job is
//    damaged, blocks that only this manifest names stay in the store.
// 2. Deletes the manifests of these jobs and their records keys::Deleted.
// 3. Frees the space of their deleted records (MetaStore::Reclaim).
//
// Stops at the first error and returns it: an error of the store, of a manifest of another job, or
// of `delete_blocks`. A later call then repeats steps 1 and 2. Step 3 is not repeated if it failed.
// REQUIRES: no job is submitted during the call.
Status CollectDeleted(storage::MetaStore& meta, const DeleteBlocks& delete_blocks);

// Removes the names of blocks that jobs outside of `except` name from the set `blocks`. Deletes
// nothing from a store. Reads the manifests of these jobs until `blocks` is empty. Returns the
// error of a manifest that cannot be read, because its blocks are unknown, and errors of the store;
// `blocks` is then unspecified.
Status EraseNamed(storage::MetaStore& meta, const std::set<std::string>& except,
                  std::set<std::string>& blocks);

}  // namespace dl::master
