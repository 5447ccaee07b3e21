#include "executor/state_exchange.h"

#include "base/limits.h"
#include "executor/fault.h"
#include "executor/transfer.h"
#include "rpc/messages.h"

namespace dl::executor {

StatusOr<SharedPart> ChunkedExchange::Fetch(uint64_t session, const PartName& part,
                                            const SegmentTable& table, const ByteCount& moved) {
  const MovedBytes::Waiting waiting(arrived_, moved);
  const MutexLock lock(fetching_);
  if (SharedPart known = parts_.Find(part.sha256).values;
      known != nullptr && known->size() == table.size()) {
    return known;
  }
  DL_ASSIGN_OR_RETURN(const std::shared_ptr<FloatBuffer> buffer,
                      WithFault(rpc::Fault::kExecutor, pool_.Take(table.size())));
  int64_t asked_to = 0;
  auto pieces = FetchPart(
      [&](int64_t offset, int64_t length) {
        if (offset < asked_to) ++pieces_again_;
        asked_to = offset + length;
        auto chunk = master_.FetchPart({.session = session,
                                        .job = part.job,
                                        .sha256 = part.sha256,
                                        .offset = offset,
                                        .length = length},
                                       limits::kBulkDeadline);
        if (chunk.ok()) arrived_.Add(static_cast<int64_t>(chunk->bytes.size()));
        return chunk;
      },
      table, part.sha256, std::as_writable_bytes(buffer->span()));
  if (absl::IsDataLoss(pieces.status())) {
    return WithRemedy(WithContext(pieces.status(), "fetching a state of job " + part.job),
                      "If this happens again, memory of the master or executor is faulty: test it, "
                      "and restart the master");
  }
  DL_RETURN_IF_ERROR(pieces.status());
  parts_.Insert(part, {buffer, *std::move(pieces)});
  return buffer;
}

StatusOr<rpc::ContributionReply> ChunkedExchange::Contribute(uint64_t session, const UnitId& unit,
                                                             uint64_t hash, const SharedPart& state,
                                                             MovedBytes& moved) {
  const std::span<const std::byte> whole = std::as_bytes(state->span());
  return SendContributionBytes({.master = master_, .moved = moved, .chunk_bytes = chunk_bytes_},
                               {.session = session, .unit = unit, .hash = hash},
                               std::span(&whole, 1));
}

Status ChunkedExchange::Offer(uint64_t session, const std::string& job, const std::string& sha256) {
  const VerifiedPart held = parts_.Find(sha256);
  // The cache has dropped the part meanwhile. The master does not wait for it.
  if (held.values == nullptr) return absl::OkStatus();
  return SendPart(master_,
                  {.session = session, .job = job, .sha256 = sha256, .piece_hashes = held.pieces},
                  std::as_bytes(held.values->span()));
}

}  // namespace dl::executor
