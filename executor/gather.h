// Answers a Gather of the master: sends one result unchanged, or the sum of several. For a sum,
// target.moved counts the bytes of each result that is added, and then the acknowledged bytes of
// the sum. Units that wait for the transfer therefore do not look stalled during the addition.
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
  const averaging::StateLayout& layout;  // of the gather's job
  // Returns the announced result of the given input, an index into the gather's inputs. Called for
  // one input at a time, so that a sum needs only one result from the disk in memory.
  std::function<StatusOr<std::shared_ptr<const FloatBuffer>>(size_t input)> result;
};
// Returns the master's answer. Returns InvalidArgument for a gather without inputs, or with several
// inputs and without `sum`. Also returns the errors of `result`, averaging::PartialSum and
// SendContributionBytes.
StatusOr<rpc::ContributionReply> SendGathered(const GatherCall& call);

}  // namespace dl::executor
