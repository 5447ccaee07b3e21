#include "master/gateway/contents.h"

#include <span>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/limits.h"
#include "master/core/job/job.h"
#include "master/core/keys.h"
#include "master/gateway/documents.h"
#include "master/merge/slice.h"

namespace dl::master {
namespace {

Status CheckBlocks(const rpc::PutBlocksRequest& request) {
  if (request.sha256.size() != request.sizes.size()) {
    return InvalidArgument({.message = absl::StrCat(request.sha256.size(), " names and ",
                                                    request.sizes.size(), " sizes of blocks"),
                            .where = "sizes"});
  }
  if (static_cast<int64_t>(request.sha256.size()) > limits::kMaxPutBlocks) {
    return ResourceExhausted(
        {.message = absl::StrCat(request.sha256.size(), " blocks in one upload, the limit is ",
                                 limits::kMaxPutBlocks),
         .where = "sha256",
         .remedy = "Split the upload."});
  }
  auto left = static_cast<int64_t>(request.bytes.size());
  for (const int64_t size : request.sizes) {
    if (size < 0 || size > left) {
      return InvalidArgument({.message = absl::StrCat("a block of ", size, " bytes where ", left,
                                                      " are left in the upload"),
                              .where = "sizes"});
    }
    left -= size;
  }
  if (left == 0) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat(left, " bytes of the upload are of no block"), .where = "bytes"});
}

}  // namespace

Status PutBlocks(storage::BlobStore& blobs, const rpc::PutBlocksRequest& request) {
  DL_RETURN_IF_ERROR(CheckBlocks(request));
  std::vector<storage::Blob> blocks;
  auto rest = std::as_bytes(std::span(request.bytes));
  for (size_t i = 0; i < request.sizes.size(); ++i) {
    blocks.push_back({request.sha256[i], rest.first(request.sizes[i])});
    rest = rest.subspan(request.sizes[i]);
  }
  return blobs.Put(blocks);
}

StatusOr<rpc::Chunk> BlockChunk(storage::BlobStore& blobs, const rpc::FetchRequest& request) {
  // The whole is no more than a block; how much of it there is, the store says.
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
    absl::FunctionRef<void(const std::string& job, int64_t round)> reading) {
  const size_t slash = request.sha256.rfind('/');
  const size_t at = request.sha256.rfind('@', slash);
  int64_t round = -1;
  if (slash == std::string::npos || at == std::string::npos ||
      !absl::SimpleAtoi(request.sha256.substr(at + 1, slash - at - 1), &round) || round < 0) {
    return InvalidArgument(
        {.message = absl::StrCat("\"", request.sha256, "\" is not of the form JOB@ROUND/PART")});
  }
  const std::string job = request.sha256.substr(0, at);
  DL_ASSIGN_OR_RETURN(std::string text, Document(meta, keys::Checkpoint(job, round), "checkpoint"));
  reading(job, round);
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
