// Bytes that peers take and bring by name, past the core: blocks of datasets in and out, parts of
// checkpoints out. Parts of running jobs' states are the merge engine's.
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

// All of an upload's blocks, or none. InvalidArgument when names, sizes and bytes are not of the
// same blocks, or one is not what its name says; ResourceExhausted.
Status PutBlocks(storage::BlobStore& blobs, const rpc::PutBlocksRequest& request);

// One chunk of a block.
StatusOr<rpc::Chunk> BlockChunk(storage::BlobStore& blobs, const rpc::FetchRequest& request);

// One chunk of "JOB@ROUND/PART". `reading` is told which checkpoint it is, before it is read.
StatusOr<rpc::Chunk> CheckpointChunk(
    storage::MetaStore& meta, storage::CheckpointStore& checkpoints,
    const rpc::FetchRequest& request,
    absl::FunctionRef<void(const std::string& job, int64_t round)> reading);

}  // namespace dl::master
