// Whole contents in chunks over the master's service, checked chunk by chunk; parts of states
// against their names, piece by piece. What a fetch returns is blamed on network or master
// (executor/fault.h), unless `fetch` did.
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

using FetchChunk = std::function<StatusOr<rpc::Chunk>(int64_t offset, int64_t length)>;

// Fills `out`, which has the table's size, with the part of that name, and returns the hashes of
// its pieces. They come with the first chunk, and nothing more is asked for unless they lead to the
// name. Pieces are verified while the next chunk is on its way; one that is wrong is asked for
// again, limits::kMaxPiecesAgain times in all, and what was taken from its begin on is dropped.
// DataLoss, the master's: a wrong list, or one wrong piece more.
StatusOr<PieceHashes> FetchPart(const FetchChunk& fetch, const SegmentTable& table,
                                const std::string& name, std::span<std::byte> out);
// A content of at most `max_bytes`.
StatusOr<std::string> FetchWhole(const FetchChunk& fetch, int64_t max_bytes);

// The master to which contributions are sent, and the size of their chunks.
struct ContributionTarget {
  rpc::ExecutorService& master;
  MovedBytes& moved;  // acknowledged bytes are added to it
  int64_t chunk_bytes = limits::kChunkBytes;
};
// Sends an accepted contribution, which consists of the pieces, and returns the receipt of the last
// chunk, or the first receipt that is not kMore. After each chunk it goes on where the master says,
// so bytes that arrived before a connection was lost do not travel again. `name`: session, unit,
// hash and gather. Unavailable: the master has less than it said before; the whole contribution is
// to be sent again.
StatusOr<rpc::ContributionReply> SendContributionBytes(
    const ContributionTarget& target, const rpc::ContributionChunk& name,
    std::span<const std::span<const std::byte>> pieces);
// Offers a part. `name`: session, job, name and piece hashes.
Status SendPart(rpc::ExecutorService& master, const rpc::OfferChunk& name,
                std::span<const std::byte> bytes);

}  // namespace dl::executor
