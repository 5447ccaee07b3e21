// rpc/messages.h <-> the generated structs. Both directions check the limits of base/limits.h, so
// that what cannot be read is never sent. Included by this folder, its test and the simulator only,
// because it includes generated headers.
#pragma once

#include "base/status.h"
#include "paravane_types.h"
#include "rpc/messages.h"

namespace dl::rpc {

// Every message, once: the table behind WireOf, the conversions, and the test that visits them all.
// clang-format off
#define DL_RPC_MESSAGES(X) \
  X(CrashedUnit) X(HeldContribution) X(OfferedContract) X(RegisterRequest) X(RegisterReply) \
  X(UnitProgress) X(HeartbeatRequest) X(CommitNotice) X(HeartbeatReply) \
  X(GoodbyeRequest) X(LeaseRequest) X(Lease) X(LeaseReply) X(AnnounceRequest) \
  X(AnnounceReply) X(ContributionChunk) X(ContributionReply) X(FailureReport) \
  X(FetchRequest) X(Chunk) X(OfferChunk) X(FetchJobRequest) X(FetchJobReply) \
  X(SubmitRequest) X(SubmitReply) X(MissingBlocksRequest) X(MissingBlocksReply) \
  X(PutBlocksRequest) X(JobActionRequest) X(JobActionReply) X(QueryRequest) \
  X(QueryReply) X(EventsRequest) X(EventsReply) X(DrainRequest) X(DrainReply) \
  X(MeasureRequest) X(MeasureReply) X(CreateTokenRequest) \
  X(CreateTokenReply) X(ListTokensRequest) X(ListTokensReply) X(RevokeTokenRequest)
// clang-format on

template <typename Message>
struct WireOf;
template <>
struct WireOf<UnitId> {
  using Type = wire::UnitId;
};
#define DL_RPC_WIRE_OF(name) \
  template <>                \
  struct WireOf<name> {      \
    using Type = wire::name; \
  };
DL_RPC_MESSAGES(DL_RPC_WIRE_OF)
#undef DL_RPC_WIRE_OF

// Takes its argument's strings along: pass a copy of what must stay. ResourceExhausted for a
// message over the limits; InvalidArgument, with the field as `where`, for an enum value that this
// version does not know and for a text that is too long for its field or not UTF-8 (every string
// but the fields `bytes` and `piece_hashes` is text). Defined for UnitId and every message.
template <typename Message>
StatusOr<typename WireOf<Message>::Type> ToWire(Message message);
// The same for a message that stays: its field `bytes`, should it have one, is left out and pointed
// to instead (WireProtocol::LendBinary sends it from where it lies).
template <typename Message>
StatusOr<typename WireOf<Message>::Type> ToWireLending(const Message& message,
                                                       const std::string** bytes);
template <typename Message>
StatusOr<Message> FromWire(typename WireOf<Message>::Type wire);

// An error loses nothing but payloads that are not the house's own, texts beyond kMaxErrorText and
// bytes that are not UTF-8. A code that is no word of base/status.h, or "ok", arrives as Unknown
// with the word in the message.
wire::RpcError ErrorToWire(const Status& status);
Status ErrorFromWire(const wire::RpcError& error);

}  // namespace dl::rpc
