// The range of bytes that a peer requests of a content.
#pragma once

#include <span>

#include "base/status.h"
#include "rpc/messages_fwd.h"

namespace dl::master {

// Returns the number of requested bytes of a content of `total` bytes from request.offset on. At
// the end of the content it is less than request.length. Errors are those of Slice().
StatusOr<int64_t> BytesAsked(const rpc::FetchRequest& request, int64_t total);

// Returns the requested bytes, at most up to the end of the content. Returns InvalidArgument if the
// offset or the length is negative, the offset is after the end, or more than a chunk is requested.
StatusOr<rpc::Chunk> Slice(const rpc::FetchRequest& request, std::span<const std::byte> content);

}  // namespace dl::master
