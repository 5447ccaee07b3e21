// Converts between rpc/messages.h and the generated structs. Both directions check the limits of
// base/limits.h, so messages that the peer cannot read are usually not sent. Only this folder, its
// tests and the simulator may include this header, because it includes generated headers.
#pragma once

#include "base/status.h"
#include "paravane_types.h"
#include "rpc/messages.h"

namespace dl::rpc {

// All messages except Hello, and some of the structs in them. WireOf, the conversions and their
// test are generated from this list.
// clang-format off
#define DL_RPC_MESSAGES(X) \
  X(CrashedUnit) X(HeldContribution) X(OfferedContract) X(RegisterRequest) X(RegisterReply) \
  X(UnitProgress) X(HeartbeatRequest) X(CommitNotice) X(HeartbeatReply) \
  X(GoodbyeRequest) X(LeaseRequest) X(Lease) X(LeaseReply) X(AnnounceRequest) \
  X(AnnounceReply) X(ContributionChunk) X(ContributionReply) X(FailureReport) \
  X(FetchRequest) X(Chunk) X(OfferChunk) X(FetchJobRequest) X(FetchJobReply) \
  X(SubmitRequest) X(SubmitReply) X(MissingBlocksRequest) X(MissingBlocksReply) \
  X(PutBlocksRequest) X(JobActionRequest) X(JobActionReply) X(QueryRequest) \
  X(QueryReply) X(EventsRequest) X(EventsReply) X(EndReadRequest) X(DrainRequest) \
  X(DrainReply) X(MeasureRequest) X(MeasureReply) X(CreateTokenRequest) \
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

// Converts a message. Returns ResourceExhausted for a message, a string or a list over the limits
// of all messages (kMaxMessageBytes, kMaxStringBytes) or of the list. Returns InvalidArgument for
// an unknown enum value, a string over the limit of its field, and a text that is not UTF-8. The
// errors have the field as `where`. All strings are texts, except the fields `bytes`,
// `piece_hashes` and `activations`. Defined for UnitId and every message.
template <typename Message>
StatusOr<typename WireOf<Message>::Type> ToWire(Message message);
// Like ToWire, but copies the message instead of taking it. The field `bytes` of the result is left
// empty, and `*bytes` points to the field of the message. WireProtocol::LendBinary sends it without
// a copy. `*bytes` is null if the message has no field `bytes`.
template <typename Message>
StatusOr<typename WireOf<Message>::Type> ToWireLending(const Message& message,
                                                       const std::string** bytes);
// Converts a received message. Returns the errors of ToWire.
template <typename Message>
StatusOr<Message> FromWire(typename WireOf<Message>::Type wire);

// Convert errors. Code, message, place, remedy and the remedy as data (rpc/remedy.h) are kept;
// other payloads are not. Texts are cut to kMaxErrorText bytes, and bytes that are not UTF-8 are
// replaced. An unknown code, or "ok", arrives as Unknown, with the code in the message.
wire::RpcError ErrorToWire(const Status& status);
Status ErrorFromWire(const wire::RpcError& error);

}  // namespace dl::rpc
