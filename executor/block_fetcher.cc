#include "executor/block_fetcher.h"

#include "base/limits.h"
#include "base/log.h"
#include "executor/transfer.h"

namespace dl::executor {
namespace {

std::shared_ptr<const dataset::Bytes> ToBytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return std::make_shared<const dataset::Bytes>(bytes.begin(), bytes.end());
}

}  // namespace

StatusOr<std::shared_ptr<const dataset::Bytes>> BlockFetcher::Get(const std::string& sha256) {
  if (cache_ != nullptr) {
    auto cached = cache_->Get(sha256);
    if (cached.ok() && cached->has_value()) return ToBytes(**cached);
    if (!cached.ok()) LogWarning("the block cache: ", DescribeError(cached.status()));
  }
  DL_ASSIGN_OR_RETURN(std::string block,
                      FetchWhole(
                          [&](int64_t offset, int64_t length) {
                            return master_.FetchBlock(
                                {.sha256 = sha256, .offset = offset, .length = length},
                                limits::kBulkDeadline);
                          },
                          limits::kMaxBlockBytes));
  fetched_bytes_ += static_cast<int64_t>(block.size());
  if (cache_ != nullptr) {
    // A cache that cannot be written costs speed, never a result.
    if (Status status = cache_->Put(sha256, std::as_bytes(std::span(block))); !status.ok()) {
      LogWarning("the block cache: ", DescribeError(status));
    }
  }
  return ToBytes(block);
}

}  // namespace dl::executor
