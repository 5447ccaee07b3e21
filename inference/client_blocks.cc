#include "inference/client_blocks.h"

#include "base/limits.h"
#include "executor/transfer.h"
#include "rpc/messages.h"

namespace dl::inference {

StatusOr<std::shared_ptr<const dataset::Bytes>> ClientBlocks::Get(const std::string& sha256) {
  DL_ASSIGN_OR_RETURN(std::string bytes,
                      executor::FetchContent(
                          [&](int64_t offset, int64_t length) {
                            return client_.FetchBlock(
                                {.sha256 = sha256, .offset = offset, .length = length},
                                limits::kBulkDeadline);
                          },
                          limits::kMaxBlockBytes));
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return std::make_shared<const dataset::Bytes>(first, first + bytes.size());
}

}  // namespace dl::inference
