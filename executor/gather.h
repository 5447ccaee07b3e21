// Brings to the master what a Gather asks for: one result as it is, or what several sum to.
#pragma once

#include <functional>
#include <memory>

#include "averaging/state_layout.h"
#include "base/float_buffer.h"
#include "base/status.h"
#include "executor/transfer.h"
#include "rpc/service.h"

namespace dl::executor {

struct GatherCall {
  ContributionTarget target;
  uint64_t session = 0;
  const rpc::Gather& gather;
  const averaging::StateLayout& layout;  // of its job
  // The result of an input, by its place among them. One at a time is asked for and kept.
  std::function<StatusOr<std::shared_ptr<const FloatBuffer>>(size_t input)> result;
};
// DataLoss when a result is not what was announced any more; else the master's answer.
StatusOr<rpc::ContributionReply> SendGathered(const GatherCall& call);

}  // namespace dl::executor
