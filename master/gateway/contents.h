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

// Returns one chunk of a block. Returns NotFound if the block is not stored, InvalidArgument for an
// offset or a length that BytesAsked (master/merge/slice.h) refuses, and errors of the store.
StatusOr<rpc::Chunk> BlockChunk(storage::BlobStore& blobs, const rpc::FetchRequest& request);

// Returns one chunk of the part that request.sha256 names as "JOB@ROUND/PART" or
// "JOB@ROUND~ROLLBACK/PART". The chunk at offset 0 has the piece hashes. Finds the record of the
// checkpoint, then calls `reading` with the checkpoint's name, and then reads the part. If
// `reading` returns an error, returns this error without reading the part. Returns InvalidArgument
// for another name, and for an offset or a length that BytesAsked refuses. Returns NotFound if the
// checkpoint or part does not exist, and errors of the stores.
StatusOr<rpc::Chunk> CheckpointChunk(
    storage::MetaStore& meta, storage::CheckpointStore& checkpoints,
    const rpc::FetchRequest& request,
    absl::FunctionRef<Status(const CheckpointName& checkpoint)> reading);

}  // namespace dl::master
