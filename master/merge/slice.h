// What a peer asked of a content.
#pragma once

#include <span>

#include "base/status.h"
#include "rpc/messages_fwd.h"

namespace dl::master {

// How many bytes of a content of `total` are asked for, at request.offset; fewer than
// request.length at the content's end. Errors as below.
StatusOr<int64_t> BytesAsked(const rpc::FetchRequest& request, int64_t total);

// The asked bytes, or those up to the content's end. InvalidArgument for a place outside of it or
// more than a chunk.
StatusOr<rpc::Chunk> Slice(const rpc::FetchRequest& request, std::span<const std::byte> content);

}  // namespace dl::master
