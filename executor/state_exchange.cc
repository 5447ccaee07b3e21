#include "executor/state_exchange.h"

#include "base/limits.h"
#include "executor/transfer.h"

namespace dl::executor {

StatusOr<SharedPart> ChunkedExchange::Fetch(uint64_t session, const PartName& part,
                                            const SegmentTable& table) {
  MutexLock lock(fetching_);
  if (SharedPart known = parts_.Find(part.sha256);
      known != nullptr && known->size() == table.size()) {
    return known;
  }
  DL_ASSIGN_OR_RETURN(const std::shared_ptr<FloatBuffer> buffer, pool_.Take(table.size()));
  const Status fetched = FetchInto(
      [&](int64_t offset, int64_t length) {
        return master_.FetchPart({.session = session,
                                  .job = part.job,
                                  .sha256 = part.sha256,
                                  .offset = offset,
                                  .length = length},
                                 limits::kBulkDeadline);
      },
      std::as_writable_bytes(buffer->span()));
  if (absl::IsNotFound(fetched)) {
    return Unavailable({.message = std::string(fetched.message()), .where = part.job});
  }
  DL_RETURN_IF_ERROR(fetched);
  if (StateSha256(table, buffer->span()) != part.sha256) {
    return Unavailable({.message = "a fetched state is not what its name says", .where = part.job});
  }
  parts_.Insert(part, buffer);
  return buffer;
}

StatusOr<rpc::ContributionReply> ChunkedExchange::Contribute(uint64_t session, const UnitId& unit,
                                                             uint64_t hash,
                                                             const SharedPart& state) {
  return SendContributionBytes(master_, session, unit, hash, std::as_bytes(state->span()));
}

Status ChunkedExchange::Offer(uint64_t session, const std::string& job, const std::string& sha256) {
  const SharedPart held = parts_.Find(sha256);
  if (held == nullptr) return absl::OkStatus();  // gone meanwhile; the master does not wait for it
  return SendPart(master_, session, job, sha256, std::as_bytes(held->span()));
}

}  // namespace dl::executor
