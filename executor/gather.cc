#include "executor/gather.h"

#include "averaging/partial_sum.h"
#include "base/checksum.h"
#include "executor/core/executor_events.h"
#include "rpc/messages.h"

namespace dl::executor {
namespace {

StatusOr<rpc::ContributionReply> SendPieces(const GatherCall& call,
                                            std::span<const std::span<const std::byte>> pieces,
                                            uint64_t hash) {
  return SendContributionBytes(call.target,
                               {.session = call.session,
                                .unit = UnitOf(call.gather, call.gather.inputs.front()),
                                .hash = hash,
                                .gather = call.gather.number},
                               pieces);
}

}  // namespace

StatusOr<rpc::ContributionReply> SendGathered(const GatherCall& call) {
  const rpc::Gather& gather = call.gather;
  if (gather.inputs.empty() || (!gather.sum && gather.inputs.size() != 1))
    return InvalidArgument(
        {.message = "a request for more than one result must ask for their sum"});
  if (!gather.sum) {
    DL_ASSIGN_OR_RETURN(const auto result, call.result(0));
    const std::span<const std::byte> whole = std::as_bytes(result->span());
    return SendPieces(call, std::span(&whole, 1), gather.inputs.front().hash);
  }
  DL_ASSIGN_OR_RETURN(
      averaging::PartialSum sum,
      averaging::PartialSum::Create(call.layout, {gather.exponents.begin(), gather.exponents.end()},
                                    gather.weight_sum));
  for (size_t i = 0; i < gather.inputs.size(); ++i) {
    DL_ASSIGN_OR_RETURN(const auto result, call.result(i));
    DL_RETURN_IF_ERROR(sum.Add(result->span(), gather.inputs[i].weight, {}));
    call.target.moved.Add(static_cast<int64_t>(result->span().size_bytes()));
  }
  const std::vector<std::span<const std::byte>> pieces = sum.pieces();
  return SendPieces(call, pieces, Xxh3(pieces));
}

}  // namespace dl::executor
