#include "inference/checkpoint_reading.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/unique.h"
#include "rpc/messages.h"

namespace dl::inference {
namespace {

constexpr Duration kEndWithin = std::chrono::seconds(2);

}  // namespace

CheckpointReading::CheckpointReading(rpc::ClientService& client, std::string checkpoint)
    : client_(client), checkpoint_(std::move(checkpoint)), number_(UniqueNumber().value_or(0)) {}

void CheckpointReading::End() {
  if (!has_fetched_.exchange(false) || number_ == 0) return;
  (void)client_.EndRead({.checkpoint = checkpoint_, .reader = number_}, kEndWithin);
}

StatusOr<rpc::Chunk> CheckpointReading::Fetch(const std::string& key, int64_t offset,
                                              int64_t length) {
  has_fetched_ = true;
  return client_.FetchCheckpoint({.sha256 = absl::StrCat(checkpoint_, "/", key),
                                  .offset = offset,
                                  .length = length,
                                  .reader = number_},
                                 limits::kBulkDeadline);
}

}  // namespace dl::inference
