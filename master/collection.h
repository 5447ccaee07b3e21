// What is left of deleted jobs when their records are gone: blocks that no other job names, and
// space in the stores.
#pragma once

#include <set>
#include <string>

#include "base/status.h"
#include "storage/blob_store.h"
#include "storage/meta_store.h"

namespace dl::master {

// Ends what a deletion began, now or before a kill: for every job that is noted as deleted, its
// blocks that no job's manifests name go, then its own manifests and the note. REQUIRES: no job is
// submitted meanwhile. What it could not read stays, with an error; a later call tries again.
Status CollectDeleted(storage::MetaStore& meta, storage::BlobStore& blobs);

// Takes out of `blocks` what is named by a job that is not in `except`. Reads all manifests. An
// error where one cannot be read: of it nobody knows what it names.
Status EraseNamed(storage::MetaStore& meta, const std::set<std::string>& except,
                  std::set<std::string>& blocks);

}  // namespace dl::master
