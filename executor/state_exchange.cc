#include "executor/state_exchange.h"

#include "base/limits.h"
#include "base/part_name.h"
#include "executor/fault.h"
#include "executor/transfer.h"
#include "rpc/messages.h"

namespace dl::executor {

StatusOr<SharedPart> ChunkedExchange::Fetch(uint64_t session, const PartName& part,
                                            const SegmentTable& table, const ByteCount& moved) {
  const MovedBytes::Waiting waiting(arrived_, moved);
  MutexLock lock(fetching_);
  if (SharedPart known = parts_.Find(part.sha256);
      known != nullptr && known->size() == table.size()) {
    return known;
  }
  DL_ASSIGN_OR_RETURN(const std::shared_ptr<FloatBuffer> buffer,
                      Blame(rpc::Fault::kExecutor, pool_.Take(table.size())));
  DL_RETURN_IF_ERROR(FetchInto(
      [&](int64_t offset, int64_t length) {
        auto chunk = master_.FetchPart({.session = session,
                                        .job = part.job,
                                        .sha256 = part.sha256,
                                        .offset = offset,
                                        .length = length},
                                       limits::kBulkDeadline);
        if (chunk.ok()) arrived_.Add(static_cast<int64_t>(chunk->bytes.size()));
        return chunk;
      },
      std::as_writable_bytes(buffer->span())));
  if (PartSha256(table, buffer->span()) != part.sha256) {
    return Blame(rpc::Fault::kMaster,
                 Unavailable({.message = "a fetched state is not what its name says",
                              .where = part.job,
                              .remedy = "Where it goes on, the memory of master or executor "
                                        "changes bits: start the master again"}));
  }
  parts_.Insert(part, buffer);
  return buffer;
}

StatusOr<rpc::ContributionReply> ChunkedExchange::Contribute(uint64_t session, const UnitId& unit,
                                                             uint64_t hash, const SharedPart& state,
                                                             MovedBytes& moved) {
  const std::span<const std::byte> whole = std::as_bytes(state->span());
  return SendContributionBytes(master_, {.session = session, .unit = unit, .hash = hash},
                               std::span(&whole, 1), moved);
}

Status ChunkedExchange::Offer(uint64_t session, const std::string& job, const std::string& sha256) {
  const SharedPart held = parts_.Find(sha256);
  if (held == nullptr) return absl::OkStatus();  // gone meanwhile; the master does not wait for it
  return SendPart(master_, session, job, sha256, std::as_bytes(held->span()));
}

}  // namespace dl::executor
