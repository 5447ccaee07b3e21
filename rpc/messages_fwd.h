// Forward declarations of rpc/messages.h and rpc/client_messages.h, for headers that only pass
// messages on. Code that creates or reads messages must include rpc/messages.h.
#pragma once

#include <cstdint>

namespace dl::rpc {

enum class Verdict : uint8_t;
enum class Receipt : uint8_t;
enum class Fault : uint8_t;
enum class JobAction : uint8_t;
enum class QueryKind : uint8_t;

struct HeldContribution;
struct CrashedUnit;
struct Retries;
struct RegisterRequest;
struct RegisterReply;
struct UnitProgress;
struct HeartbeatRequest;
struct CommitNotice;
struct GatherInput;
struct Gather;
struct HeartbeatReply;
struct GoodbyeRequest;
struct LeaseRequest;
struct NamedPart;
struct Lease;
struct LeaseReply;
struct AnnounceRequest;
struct AnnounceReply;
struct ContributionChunk;
struct ContributionReply;
struct FailureReport;
struct FetchRequest;
struct Chunk;
struct OfferChunk;
struct FetchJobRequest;
struct FetchJobReply;
struct SubmitRequest;
struct SubmitReply;
struct MissingBlocksRequest;
struct MissingBlocksReply;
struct PutBlocksRequest;
struct JobActionRequest;
struct JobActionReply;
struct QueryRequest;
struct QueryReply;
struct EventsRequest;
struct EventsReply;
struct EndReadRequest;
struct DrainRequest;
struct DrainReply;
struct MeasureRequest;
struct MeasureReply;
struct CreateTokenRequest;
struct CreateTokenReply;
struct ListTokensRequest;
struct ListTokensReply;
struct RevokeTokenRequest;

}  // namespace dl::rpc
