// Whole contents in chunks over the master's service, checked chunk by chunk. What a fetch returns
// is blamed on network or master (executor/fault.h), unless `fetch` did.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/status.h"
#include "executor/moved_bytes.h"
#include "rpc/messages_fwd.h"
#include "rpc/service.h"

namespace dl::executor {

// Fills `out`, whose size must be the content's.
Status FetchInto(const std::function<StatusOr<rpc::Chunk>(int64_t offset, int64_t length)>& fetch,
                 std::span<std::byte> out);
// A content of at most `max_bytes`.
StatusOr<std::string> FetchWhole(
    const std::function<StatusOr<rpc::Chunk>(int64_t offset, int64_t length)>& fetch,
    int64_t max_bytes);

// Sends an accepted contribution, whose pieces lie behind one another; the last chunk's receipt, or
// the first that is not kMore. `name`: session, unit, hash and gather. Adds what was acknowledged
// to `moved`.
StatusOr<rpc::ContributionReply> SendContributionBytes(
    rpc::ExecutorService& master, const rpc::ContributionChunk& name,
    std::span<const std::span<const std::byte>> pieces, MovedBytes& moved);
Status SendPart(rpc::ExecutorService& master, uint64_t session, const std::string& job,
                const std::string& sha256, std::span<const std::byte> bytes);

}  // namespace dl::executor
