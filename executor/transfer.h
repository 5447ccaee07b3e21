// Transfers contents in chunks over the master's service. Every chunk has a checksum, and parts of
// states are verified piece by piece against their name.
//
// Fetch errors carry a fault (executor/fault.h). They are:
//   - the errors of `fetch`, with the fault that `fetch` set, otherwise with that of WithCallFault;
//   - Unavailable (fault: network) for a chunk with a wrong checksum;
//   - InvalidArgument (fault: master) for a chunk of another offset or of a content of another
//     size, and for a chunk that exceeds the end of the content or is empty before the end.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/limits.h"
#include "base/part_name.h"
#include "base/segment_table.h"
#include "base/status.h"
#include "executor/moved_bytes.h"
#include "rpc/messages_fwd.h"
#include "rpc/service.h"

namespace dl::executor {

// Returns the chunk of at most `length` bytes at `offset`.
using FetchChunk = std::function<StatusOr<rpc::Chunk>(int64_t offset, int64_t length)>;

// Fetches the chunk at `offset` of a content of `total` bytes. Requests limits::kChunkBytes, or all
// bytes up to the end if they are fewer. The returned chunk may be shorter than requested, but is
// empty only at the end. Returns the fetch errors above.
StatusOr<rpc::Chunk> FetchNext(const FetchChunk& fetch, int64_t offset, int64_t total);
// Fetches the named part into `out`, which must have the table's size, and returns its piece
// hashes. The hashes come with the first chunk. They must lead to the name before more is fetched.
// Pieces are verified while the next chunk is in flight. A wrong piece is fetched again, together
// with all bytes after its beginning, at most limits::kMaxPieceRetries times in a call. Returns
// DataLoss (fault: master) for wrong hashes and if a piece is wrong after that, and the fetch
// errors above.
StatusOr<PieceHashes> FetchPart(const FetchChunk& fetch, const SegmentTable& table,
                                const std::string& name, std::span<std::byte> out);
// Fetches a content, whose size the first chunk states. Returns ResourceExhausted (fault: master)
// if it is longer than `max_bytes`, and the fetch errors above.
StatusOr<std::string> FetchContent(const FetchChunk& fetch, int64_t max_bytes);

// Master that receives contributions, and the size of their chunks.
struct ContributionTarget {
  rpc::ExecutorService& master;
  MovedBytes& moved;  // counts the bytes that the master acknowledges
  int64_t chunk_bytes = limits::kChunkBytes;
};
// Sends a contribution that the master accepted, or the answer to a gather, given as a list of
// pieces. Returns the first receipt that is not kMore. The first chunk is always sent. After each
// chunk it continues at the offset that the master returns, which skips bytes that arrived before a
// lost connection. The caller sets session, unit, hash and gather in `name`; other fields are
// ignored. Returns Unavailable if the master does not ask for bytes after the beginning of the
// last chunk, or asks for bytes from the end of the contribution on; the caller must then send the
// whole contribution again. Returns the errors of rpc::ExecutorService::Contribute.
StatusOr<rpc::ContributionReply> SendContributionBytes(
    const ContributionTarget& target, const rpc::ContributionChunk& name,
    std::span<const std::span<const std::byte>> pieces);
// Offers a part to the master. `name` holds session, job, name and piece hashes. An empty part is
// not sent. Returns the errors of rpc::ExecutorService::OfferPart.
Status SendPart(rpc::ExecutorService& master, const rpc::OfferChunk& name,
                std::span<const std::byte> bytes);

}  // namespace dl::executor
