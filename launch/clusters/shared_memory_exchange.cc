#include "launch/clusters/shared_memory_exchange.h"

namespace dl::launch {

StatusOr<executor::SharedPart> SharedMemoryExchange::Fetch(uint64_t, const executor::PartName& part,
                                                           const SegmentTable&,
                                                           const executor::ByteCount&) {
  executor::SharedPart state = master_.FindPart(part.job, part.sha256);
  if (state == nullptr) {
    return Unavailable({.message = "the job already has another state", .where = part.job});
  }
  return state;
}

StatusOr<rpc::ContributionReply> SharedMemoryExchange::Contribute(uint64_t session,
                                                                  const UnitId& unit, uint64_t hash,
                                                                  const executor::SharedPart& state,
                                                                  executor::MovedBytes&) {
  return master_.Contribute(session, unit, hash, state);
}

}  // namespace dl::launch
