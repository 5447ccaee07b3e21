// Exchange of states in local[N]. Master and executor run in one process, so a state is passed as a
// pointer.
#pragma once

#include <string>
#include <vector>

#include "executor/state_exchange.h"
#include "master/gateway/gateway.h"

namespace dl::launch {

// Thread-safe.
class SharedMemoryExchange final : public executor::StateExchange {
 public:
  explicit SharedMemoryExchange(master::Gateway& master) : master_(master) {}

  StatusOr<executor::SharedPart> Fetch(uint64_t session, const executor::PartName& part,
                                       const SegmentTable& table,
                                       const executor::ByteCount& moved) override;
  StatusOr<rpc::ContributionReply> Contribute(uint64_t session, const UnitId& unit, uint64_t hash,
                                              const executor::SharedPart& state,
                                              executor::MovedBytes& moved) override;
  // The list is empty, because the master cannot lose its memory while this process lives.
  std::vector<std::string> Held() const override { return {}; }
  Status Offer(uint64_t, const std::string&, const std::string&) override {
    return absl::OkStatus();
  }

 private:
  master::Gateway& master_;
};

}  // namespace dl::launch
