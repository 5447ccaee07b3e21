#include "master/core/fleet/retries.h"

#include <algorithm>

namespace dl::master {
namespace {

constexpr int64_t rpc::Retries::*kCounts[] = {&rpc::Retries::sessions, &rpc::Retries::leases,
                                              &rpc::Retries::jobs,     &rpc::Retries::states,
                                              &rpc::Retries::blocks,   &rpc::Retries::results};

}  // namespace

void RaiseTo(rpc::Retries& known, const rpc::Retries& said) {
  for (int64_t rpc::Retries::*const member : kCounts) {
    int64_t& count = known.*member;
    count = std::max(count, std::min(said.*member, rpc::Retries::kMost));
  }
}

void AddTo(rpc::Retries& sum, const rpc::Retries& more) {
  for (int64_t rpc::Retries::*const member : kCounts) sum.*member += more.*member;
}

}  // namespace dl::master
