// Bytes that peers fetch by name without the core: blocks and parts of checkpoints. The merge
// engine serves the states of running jobs; uploads.h receives blocks of clients.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "master/core/job/checkpoint_name.h"
#include "rpc/messages.h"
#include "storage/blob_store.h"
#include "storage/checkpoint_store.h"
#include "storage/meta_store.h"

namespace dl::master {

// All functions are thread-safe.

// Returns one chunk of a block, NotFound if the block is not stored, errors of BytesAsked, and
// errors of the store.
StatusOr<rpc::Chunk> BlockChunk(storage::BlobStore& blobs, const rpc::FetchRequest& request);

// Returns one chunk of the part that request.sha256 names as "JOB@ROUND/PART" or
// "JOB@ROUND~ROLLBACK/PART". The first chunk has the piece hashes. Calls `reading` with the
// checkpoint before reading it, and returns its error. Returns InvalidArgument for another name,
// NotFound if the checkpoint or part does not exist, errors of BytesAsked, and errors of the
// stores.
StatusOr<rpc::Chunk> CheckpointChunk(
    storage::MetaStore& meta, storage::CheckpointStore& checkpoints,
    const rpc::FetchRequest& request,
    absl::FunctionRef<Status(const CheckpointName& checkpoint)> reading);

}  // namespace dl::master
