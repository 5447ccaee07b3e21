#include "master/gateway/contents.h"

#include <span>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/limits.h"
#include "master/core/job/job.h"
#include "master/core/record_keys.h"
#include "master/core/records/checkpoint_record.h"
#include "master/gateway/documents.h"
#include "master/merge/slice.h"

namespace dl::master {

StatusOr<rpc::Chunk> BlockChunk(storage::BlobStore& blobs, const rpc::FetchRequest& request) {
  // No block is larger than the limit; the store knows the actual size.
  DL_RETURN_IF_ERROR(BytesAsked(request, limits::kMaxBlockBytes).status());
  DL_ASSIGN_OR_RETURN(storage::BlobStore::Range range,
                      blobs.GetRange(request.sha256, request.offset, request.length));
  rpc::Chunk chunk{.total = range.total, .offset = request.offset};
  chunk.chunk_xxh3 = Xxh3(range.bytes);
  chunk.bytes = std::move(range.bytes);
  return chunk;
}

StatusOr<rpc::Chunk> CheckpointChunk(
    storage::MetaStore& meta, storage::CheckpointStore& checkpoints,
    const rpc::FetchRequest& request,
    absl::FunctionRef<Status(const CheckpointName& checkpoint)> reading) {
  const size_t slash = request.sha256.rfind('/');
  const std::optional<CheckpointName> name =
      slash == std::string::npos ? std::nullopt
                                 : ParseCheckpointName(request.sha256.substr(0, slash));
  if (!name || name->round < 0) {
    return InvalidArgument(
        {.message = absl::StrCat("\"", request.sha256, "\" is not of the form JOB@ROUND/PART")});
  }
  const std::string key = name->set_aside > 0
                              ? keys::SetAside(name->job, name->round, name->set_aside)
                              : keys::Checkpoint(name->job, name->round);
  DL_ASSIGN_OR_RETURN(std::string text, Document(meta, key, "checkpoint"));
  DL_RETURN_IF_ERROR(reading(*name));
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(text, request.sha256));
  DL_ASSIGN_OR_RETURN(const CheckpointInfo info, CheckpointInfoFromJson(json, request.sha256));
  DL_ASSIGN_OR_RETURN(const Json parsed, ParseJson(info.manifest, request.sha256));
  DL_ASSIGN_OR_RETURN(const storage::CheckpointManifest manifest,
                      storage::CheckpointManifestFromJson(parsed, request.sha256));
  const std::string part = request.sha256.substr(slash + 1);
  const int index = manifest.PartIndex(part);
  if (index < 0) {
    return NotFound(
        {.message = absl::StrCat("checkpoint ", manifest.Name(), " has no part \"", part, "\"")});
  }
  rpc::Chunk chunk{.total = manifest.parts[index].bytes, .offset = request.offset};
  DL_ASSIGN_OR_RETURN(const int64_t length, BytesAsked(request, chunk.total));
  chunk.bytes.resize(length);
  const auto bytes = std::as_writable_bytes(std::span(chunk.bytes));
  DL_RETURN_IF_ERROR(checkpoints.ReadRange(manifest, part, request.offset, bytes));
  if (request.offset == 0) {
    DL_ASSIGN_OR_RETURN(chunk.piece_hashes, checkpoints.ReadPieceHashes(manifest, part));
  }
  chunk.chunk_xxh3 = Xxh3(bytes);
  return chunk;
}

}  // namespace dl::master
