// Wire format of rpc/messages.h; docs/protocol.md describes its use. Strict binary protocol, not
// framed.
//
// Field ids are never reused. Unsigned 64-bit numbers are sent as the i64 with the same bits. Enums
// are sent as i32, so that a value of a newer peer is a reported error and not undefined behavior
// in the generated code:
//   UnitId.kind              1 train, 2 evaluate
//   AnnounceReply.verdict    1 send, 2 done, 3 unwanted, 4 hold
//   ContributionReply.receipt 1 more, 2 complete, 4 unwanted (3 was wait)
//   FailureReport.fault      1 unit, 2 executor, 3 master, 4 network
//   JobActionRequest.action  1 cancel, 2 resume, 3 checkpoint, 4 pin, 5 unpin, 6 delete, 7 pause
//   QueryRequest.what        1 jobs, 2 cluster, 3 job, 4 result, 5 checkpoints, 6 spec,
//                            7 train manifest, 8 test manifest, 9 log, 10 series, 11 timeline,
//                            12 histograms
namespace cpp dl.rpc.wire

// What a user can do, as data. `round` is -1 if it has no meaning.
struct Remedy {
  1: i32 kind
  2: string job
  3: i64 round = -1
  4: string isa
  5: i64 mebibytes
}

// The error of every method. `code` is the documented name of the status code ("not_found").
// `remedy` is a sentence, `action` a remedy that each client puts into words.
exception RpcError {
  1: string code
  2: string message
  3: string where
  4: string remedy
  5: optional Remedy action
}

struct HelloRequest {
  1: i32 protocol
  2: string version
  3: string role
  4: string credential
  5: string instance
}

struct HelloReply {
  1: i32 protocol
  2: string version
  3: string owner
  4: string role
}

struct UnitId {
  1: string job
  2: i32 kind
  3: i64 round
  4: i32 index
}

struct HeldContribution {
  1: UnitId unit
  2: i64 hash
}

struct CrashedUnit {
  1: UnitId unit
  2: string spec_sha256
  3: string signal
  4: i64 lease
  5: i64 ticket
}

struct OfferedContract {
  1: string contract
  2: string isa
}

struct Retries {
  1: i64 sessions
  2: i64 leases
  3: i64 jobs
  4: i64 states
  5: i64 blocks
  6: i64 results
}

struct RegisterRequest {
  1: string executor
  2: i64 incarnation
  3: i32 slots
  4: list<OfferedContract> contracts
  5: string host
  6: i32 pid
  7: string version
  8: list<string> held_parts
  9: list<HeldContribution> held_contributions
  10: list<CrashedUnit> crashed
  11: i64 unit_memory_bytes
  12: list<string> labels
  13: Retries retries
}

struct RegisterReply {
  1: i64 session
  2: i64 term
  3: i64 heartbeat_ms
  // 4 was the time without heartbeats after which a session ends.
}

struct UnitProgress {
  1: UnitId unit
  2: i64 lease
  3: i64 steps_done
  4: i64 steps_total
  5: i64 bytes_moved
  6: bool computing
}

struct HeartbeatRequest {
  1: i64 session
  2: list<UnitProgress> running
  3: i64 blocks_cached_bytes
  4: i64 blocks_read_bytes
  5: i64 blocks_fetched_bytes
  6: i64 notices_seen
  7: Retries retries
}

struct CommitNotice {
  1: string job
  2: i64 round
}

struct GatherInput {
  1: i32 index
  2: i64 hash
  3: i64 weight
}

struct Gather {
  1: i64 number
  2: string job
  3: i64 round
  4: string spec_sha256
  5: bool sum
  6: list<i32> exponents
  7: i64 weight_sum
  8: list<GatherInput> inputs
}

struct HeartbeatReply {
  1: list<UnitId> abandon
  2: list<string> offer
  3: list<CommitNotice> committed
  4: bool master_stops
  5: i64 number
  6: bool restart
  7: string restart_reason
  8: list<Gather> gathers
  9: bool drain
}

struct GoodbyeRequest {
  1: i64 session
}

struct LeaseRequest {
  1: i64 session
  2: i32 free_slots
  3: i64 wait_ms
}

struct NamedPart {
  1: string name
  2: string sha256
}

struct Lease {
  1: UnitId unit
  2: i64 lease
  3: string base_sha256
  4: list<NamedPart> parts
  5: string expected_contract
  6: bool has_hint
  7: UnitId hint
  8: string spec_sha256
  9: i64 earlier_updates
  10: i64 ticket
  11: i64 plateaus
}

struct LeaseReply {
  1: list<Lease> leases
  2: list<Gather> gathers
}

struct AnnounceRequest {
  1: i64 session
  2: i64 lease
  3: UnitId unit
  4: string base_sha256
  5: i64 hash
  6: i64 bytes
  7: list<NamedPart> parts
  8: i64 examples
  9: i64 steps
  10: i64 example_hash_sum
  11: string metrics
  12: list<double> magnitudes
  13: string spec_sha256
  14: i32 free_slots
  15: i64 ticket
  16: i64 unit_us
  17: i64 computing_us
  18: i64 data_wait_us
  19: i64 state_wait_us
  20: binary activations
}

struct AnnounceReply {
  1: i32 verdict
}

struct ContributionChunk {
  1: i64 session
  2: UnitId unit
  3: i64 hash
  4: i64 total
  5: i64 offset
  6: i64 chunk_xxh3
  7: binary bytes
  8: i64 gather
}

struct ContributionReply {
  1: i32 receipt
  3: i64 received
}

struct FailureReport {
  1: i64 session
  2: i64 lease
  3: UnitId unit
  4: string code
  5: string message
  6: string where
  7: string remedy
  8: bool not_finite
  9: i32 fault
}

struct FetchRequest {
  1: i64 session
  2: string job
  3: string sha256
  4: i64 offset
  5: i64 length
  6: i64 reader
}

struct Chunk {
  1: i64 total
  2: i64 offset
  3: i64 chunk_xxh3
  4: binary bytes
  5: binary piece_hashes
}

struct OfferChunk {
  1: i64 session
  2: string job
  3: string sha256
  4: i64 total
  5: i64 offset
  6: i64 chunk_xxh3
  7: binary bytes
  8: binary piece_hashes
}

struct FetchJobRequest {
  1: i64 session
  2: string job
}

struct FetchJobReply {
  1: string spec
  2: string train_manifest
  3: string test_manifest
  4: string contract
}

struct Scheduling {
  1: i32 priority
  2: string after
  3: i32 max_executors
  4: list<string> labels
  5: list<string> needs
}

struct SubmitRequest {
  1: string request_id
  2: string spec
  3: string train_manifest
  4: string test_manifest
  5: string resume_from
  6: string init_from
  7: Scheduling scheduling
}

struct SubmitReply {
  1: string job
  2: string contract
  3: i32 executors
  4: i32 excluded
  5: i32 too_small
  6: i64 unit_bytes
  7: i64 largest_unit_memory
  8: i32 without_labels
  9: i64 slots
}

struct MissingBlocksRequest {
  1: list<string> sha256
}

struct MissingBlocksReply {
  1: list<string> missing
}

struct PutBlocksRequest {
  1: list<string> sha256
  2: list<i64> sizes
  3: binary bytes
}

struct JobActionRequest {
  1: string request_id
  2: string job
  3: i32 action
  4: i64 round
  5: bool rebind
  6: string isa
  7: i64 set_aside
}

struct JobActionReply {
  1: string message
}

struct QueryRequest {
  2: string job
  3: i64 first
  4: i64 max_age_ms
  5: i32 what
  6: string series
  7: i64 last
  8: i64 max_entries
  9: i64 branch
  10: bool buckets
}

struct QueryReply {
  1: string json
  2: i64 next_first
  3: i64 age_ms
}

struct EventsRequest {
  1: string job
  2: i64 after
  3: i64 wait_ms
}

struct EventsReply {
  1: list<string> events
  2: i64 last
  3: bool terminal
}

struct EndReadRequest {
  1: string checkpoint
  2: i64 reader
}

struct DrainRequest {
  1: string executors
}

struct DrainReply {
  1: list<string> executors
}

struct MeasureRequest {
  1: binary bytes
  2: i64 reply_bytes
}

struct MeasureReply {
  1: binary bytes
  2: i64 unix_ms
}

struct CreateTokenRequest {
  1: string owner
  2: string role
  3: i64 lifetime_ms
  4: string executor
}

struct CreateTokenReply {
  1: string token
}

struct ListTokensRequest {
}

struct ListTokensReply {
  1: string json
}

struct RevokeTokenRequest {
  1: string id
}

// `deadline_ms` is the time that the caller has left for the call. The master gives up on an answer
// that is no longer awaited.
service Master {
  // Must be the first call of every connection.
  HelloReply Hello(1: HelloRequest request) throws (1: RpcError error)

  // Executors: control.
  RegisterReply Register(1: RegisterRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  HeartbeatReply Heartbeat(1: HeartbeatRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  void Goodbye(1: GoodbyeRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  LeaseReply LeaseUnits(1: LeaseRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  AnnounceReply Announce(1: AnnounceRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  void ReportFailure(1: FailureReport request, 2: i64 deadline_ms) throws (1: RpcError error)
  FetchJobReply FetchJob(1: FetchJobRequest request, 2: i64 deadline_ms) throws (1: RpcError error)

  // Executors: bulk. FetchBlock also serves clients (session 0).
  Chunk FetchPart(1: FetchRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  Chunk FetchBlock(1: FetchRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  ContributionReply Contribute(1: ContributionChunk request, 2: i64 deadline_ms) throws (1: RpcError error)
  void OfferPart(1: OfferChunk request, 2: i64 deadline_ms) throws (1: RpcError error)

  // Clients.
  MissingBlocksReply MissingBlocks(1: MissingBlocksRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  void PutBlocks(1: PutBlocksRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  SubmitReply Submit(1: SubmitRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  JobActionReply Act(1: JobActionRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  QueryReply Query(1: QueryRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  EventsReply Events(1: EventsRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  Chunk FetchCheckpoint(1: FetchRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  void EndRead(1: EndReadRequest request, 2: i64 deadline_ms) throws (1: RpcError error)

  // All roles: measures how long it takes to transfer some bytes, in each direction.
  MeasureReply Measure(1: MeasureRequest request, 2: i64 deadline_ms) throws (1: RpcError error)

  // Admins.
  DrainReply Drain(1: DrainRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  CreateTokenReply CreateToken(1: CreateTokenRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  ListTokensReply ListTokens(1: ListTokensRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
  void RevokeToken(1: RevokeTokenRequest request, 2: i64 deadline_ms) throws (1: RpcError error)
}
