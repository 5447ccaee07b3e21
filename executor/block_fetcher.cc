#include "executor/block_fetcher.h"

#include <optional>
#include <utility>

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
StatusOr<rpc::Chunk> WithDataFault(StatusOr<rpc::Chunk> chunk) {
  const bool lost = absl::IsDataLoss(chunk.status()) || absl::IsNotFound(chunk.status());
  return lost ? WithFault(rpc::Fault::kUnit, std::move(chunk)) : std::move(chunk);
}

}  // namespace

BlockFetcher::BlockFetcher(rpc::ExecutorService& master, std::shared_ptr<storage::BlockCache> cache,
                           Duration disk_limit)
    : master_(master),
      cache_(std::move(cache)),
      disk_({.what = cache_ == nullptr ? "" : "the block cache in " + cache_->dir(),
             .otherwise = "blocks are fetched from the master until it answers",
             .limit = disk_limit}) {}

// Returns null if the cache does not have the block.
std::shared_ptr<const dataset::Bytes> BlockFetcher::GetCached(const std::string& sha256) {
  if (cache_ == nullptr) return nullptr;
  auto read = disk_.Run([cache = cache_, sha256] { return cache->Get(sha256); });
  if (!read) return nullptr;
  StatusOr<std::optional<std::string>>& cached = *read;
  if (cached.ok()) return cached->has_value() ? ToBytes(**cached) : nullptr;
  LogWarning("cannot read the block cache, so the block is fetched: ",
             DescribeError(cached.status()));
  return nullptr;
}

// A cache that cannot be written costs speed, never a result. Warnings are logged when the number
// of failures is a power of two.
void BlockFetcher::Keep(const std::string& sha256,
                        const std::shared_ptr<const dataset::Bytes>& block) {
  if (cache_ == nullptr) return;
  const std::optional<Status> kept =
      disk_.Run([cache = cache_, sha256, block] { return cache->Put(sha256, *block); });
  if (!kept || kept->ok()) return;
  const int64_t failures = ++failed_puts_;
  if ((failures & (failures - 1)) == 0)
    LogWarning("cannot write to the block cache (", failures,
               " blocks so far): ", DescribeError(*kept));
}

StatusOr<std::shared_ptr<const dataset::Bytes>> BlockFetcher::Get(const std::string& sha256) {
  if (auto cached = GetCached(sha256); cached != nullptr) return cached;
  const auto fetch = [&](int64_t offset, int64_t length) {
    rpc::FetchRequest request{
        .session = session_, .sha256 = sha256, .offset = offset, .length = length};
    StatusOr<rpc::Chunk> answer = master_.FetchBlock(request, limits::kBulkDeadline);
    if (absl::IsAborted(answer.status())) {
      // A unit outlives the session, and a failed fetch would begin it again.
      request.session = 0;
      answer = master_.FetchBlock(request, limits::kBulkDeadline);
    }
    auto chunk = WithDataFault(std::move(answer));
    if (chunk.ok()) fetched_bytes_ += static_cast<int64_t>(chunk->bytes.size());
    return chunk;
  };
  DL_ASSIGN_OR_RETURN(
      std::string block,
      WithFetchTarget(FetchTarget::kBlock, FetchContent(fetch, limits::kMaxBlockBytes)));
  if (Sha256Hex(block) != sha256) {
    return WithFetchTarget(
        FetchTarget::kBlock,
        WithFault(rpc::Fault::kMaster,
                  Unavailable(
                      {.message = "the content of a fetched block does not match its SHA-256 name",
                       .where = sha256,
                       .remedy = "If this happens again, import the dataset again"})));
  }
  std::shared_ptr<const dataset::Bytes> bytes = ToBytes(block);
  Keep(sha256, bytes);
  return bytes;
}

}  // namespace dl::executor
