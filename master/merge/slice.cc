#include "master/merge/slice.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::master {

StatusOr<int64_t> BytesAsked(const rpc::FetchRequest& request, int64_t total) {
  if (request.offset < 0 || request.offset > total || request.length < 0 ||
      request.length > limits::kChunkBytes) {
    return InvalidArgument(
        {.message =
             absl::StrCat("a request for ", request.length, " bytes at offset ", request.offset,
                          " of a content of ", total, " bytes is not valid")});
  }
  return std::min(request.length, total - request.offset);
}

StatusOr<rpc::Chunk> Slice(const rpc::FetchRequest& request, std::span<const std::byte> content) {
  const int64_t total = static_cast<int64_t>(content.size());
  DL_ASSIGN_OR_RETURN(const int64_t length, BytesAsked(request, total));
  const auto bytes = content.subspan(request.offset, length);
  rpc::Chunk chunk{.total = total, .offset = request.offset, .chunk_xxh3 = Xxh3(bytes)};
  chunk.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return chunk;
}

}  // namespace dl::master
