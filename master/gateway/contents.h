// Bytes that peers take by name, past the core: blocks of datasets and parts of checkpoints. Parts
// of running jobs' states are the merge engine's; what clients bring, of uploads.h.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "rpc/messages.h"
#include "storage/blob_store.h"
#include "storage/checkpoint_store.h"
#include "storage/meta_store.h"

namespace dl::master {

// All of these are thread-safe.

// One chunk of a block.
StatusOr<rpc::Chunk> BlockChunk(storage::BlobStore& blobs, const rpc::FetchRequest& request);

// One chunk of "JOB@ROUND/PART". `reading` is told which checkpoint it is, before it is read.
StatusOr<rpc::Chunk> CheckpointChunk(
    storage::MetaStore& meta, storage::CheckpointStore& checkpoints,
    const rpc::FetchRequest& request,
    absl::FunctionRef<void(const std::string& job, int64_t round)> reading);

}  // namespace dl::master
