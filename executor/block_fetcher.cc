#include "executor/block_fetcher.h"

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "base/log.h"
#include "executor/fault.h"
#include "executor/transfer.h"
#include "rpc/messages.h"

namespace dl::executor {
namespace {

std::shared_ptr<const dataset::Bytes> ToBytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return std::make_shared<const dataset::Bytes>(bytes.begin(), bytes.end());
}

// A lost block on the master is the fault of the data: no executor can compute the unit, and a
// retry cannot succeed until the dataset is imported again.
StatusOr<rpc::Chunk> BlameData(StatusOr<rpc::Chunk> chunk) {
  const bool lost = absl::IsDataLoss(chunk.status()) || absl::IsNotFound(chunk.status());
  return lost ? Blame(rpc::Fault::kUnit, std::move(chunk)) : std::move(chunk);
}

}  // namespace

StatusOr<std::shared_ptr<const dataset::Bytes>> BlockFetcher::Get(const std::string& sha256) {
  if (cache_ != nullptr) {
    auto cached = cache_->Get(sha256);
    if (cached.ok() && cached->has_value()) return ToBytes(**cached);
    if (!cached.ok())
      LogWarning("cannot read the block cache, so the block is fetched: ",
                 DescribeError(cached.status()));
  }
  const auto fetch = [&](int64_t offset, int64_t length) {
    auto chunk = BlameData(master_.FetchBlock(
        {.sha256 = sha256, .offset = offset, .length = length}, limits::kBulkDeadline));
    if (chunk.ok()) fetched_bytes_ += static_cast<int64_t>(chunk->bytes.size());
    return chunk;
  };
  DL_ASSIGN_OR_RETURN(std::string block,
                      WhileFetching(Fetched::kBlock, FetchContent(fetch, limits::kMaxBlockBytes)));
  if (Sha256Hex(block) != sha256) {
    return WhileFetching(
        Fetched::kBlock,
        Blame(rpc::Fault::kMaster,
              Unavailable(
                  {.message = "the content of a fetched block does not match its SHA-256 name",
                   .where = sha256,
                   .remedy = "If this happens again, import the dataset again"})));
  }
  if (cache_ != nullptr) {
    // A cache that cannot be written costs speed, never a result. Warnings are logged when the
    // number of failures is a power of two.
    const Status kept = cache_->Put(sha256, std::as_bytes(std::span(block)));
    const int64_t failures = kept.ok() ? 0 : ++failed_puts_;
    if (failures > 0 && (failures & (failures - 1)) == 0)
      LogWarning("cannot write to the block cache (", failures,
                 " blocks so far): ", DescribeError(kept));
  }
  return ToBytes(block);
}

}  // namespace dl::executor
