// Messages between executors, clients and the master, as plain structs. Thrift (rpc/idl), the
// in-process gateway and the simulator carry the same structs. docs/protocol.md describes the
// exchange. Messages of clients are in rpc/client_messages.h, which this header includes.
//
// The state of a committed round consists of *parts*: model, updater state, carried state, state of
// the strategy. A part is fetched and offered by its name (base/part_name.h). A contribution is
// identified by its unit and the XXH3-64 of its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "rpc/client_messages.h"

namespace dl::rpc {

// ---- executor: session -------------------------------------------------------------------------

// A contribution that the executor keeps although the master has received all of its bytes
// (Receipt::kComplete), in case the master restarts before the commit.
struct HeldContribution {
  UnitId unit;
  uint64_t hash = 0;  // XXH3-64 of its bytes
  bool operator==(const HeldContribution&) const = default;
};

// A unit that was running when a fatal signal ended the executor's process.
struct CrashedUnit {
  UnitId unit;
  std::string spec_sha256;  // as in the lease of the unit
  std::string signal;       // "SIGSEGV"
  uint64_t lease = 0;       // lease of the unit
  uint64_t ticket = 0;      // ticket of that lease
  bool operator==(const CrashedUnit&) const = default;
};

// A kernel contract that an executor can use if a lease asks for it.
struct OfferedContract {
  std::string contract;
  std::string isa;  // a name of nn::kInstructionSets; "" for portable kernels
  bool operator==(const OfferedContract&) const = default;
};

// Numbers of retries since the executor's process began, by purpose. The executor retries if the
// network or the master failed. Counts never decrease and stop at kMost.
struct Retries {
  static constexpr int64_t kMost = 1'000'000'000'000;

  int64_t sessions = 0;  // registrations and heartbeats
  int64_t leases = 0;    // requests for work
  int64_t jobs = 0;      // documents of jobs
  int64_t states = 0;    // states and pieces of states
  int64_t blocks = 0;    // blocks of datasets
  int64_t results = 0;   // announcements, bytes of results, failure reports
  bool operator==(const Retries&) const = default;
};

struct RegisterRequest {
  std::string executor;      // stable name, unique in the cluster ("host-12345")
  uint64_t incarnation = 0;  // orders the processes with this name; higher for a later process
  int32_t slots = 0;         // from 1 to limits::kMaxSlots
  // From 1 to limits::kMaxContracts, in order of preference. For a job without a contract, the
  // master considers the first entry that it knows and that has the instruction set of the job, if
  // the job names an instruction set. For a job with a contract, any entry that offers this
  // contract counts.
  std::vector<OfferedContract> contracts;
  std::string host;                                  // name of the machine, for people
  int32_t pid = 0;                                   // id of the process, for people
  std::string version;                               // of the binary, for people
  std::vector<std::string> held_parts;               // SHA-256 of cached state parts
  std::vector<HeldContribution> held_contributions;  // their rounds may still be open
  std::vector<CrashedUnit> crashed;                  // units that crashed the previous process
  // Memory for all units that run at once. 0: not stated; the executor gets as many units as it has
  // slots.
  int64_t unit_memory_bytes = 0;
  std::vector<std::string> labels;  // base/label.h
  Retries retries;
  // The server sets the members below. They are not transmitted. `holder` identifies the process
  // that opened the connection. `token` is the id of its token, or the owner of its certificate.
  std::string holder, token;
  bool is_of_admin = false;  // whether this token or certificate is of an admin
  bool operator==(const RegisterRequest&) const = default;
};

struct RegisterReply {
  // Part of every later message of the executor. Ends with a goodbye, with the master's process,
  // with a later registration of the executor, and after several missed heartbeats. Also ends soon
  // after the connection of its heartbeats broke, unless another heartbeat arrives.
  uint64_t session = 0;
  uint64_t term = 0;         // number of the master's start
  int64_t heartbeat_ms = 0;  // longest time between two heartbeats
  bool operator==(const RegisterReply&) const = default;
};

struct UnitProgress {
  UnitId unit;
  uint64_t lease = 0;       // Lease::lease
  int64_t steps_done = 0;   // minibatches
  int64_t steps_total = 0;  // minibatches
  // Number of bytes that were fetched for the unit, acknowledged by the master or added to a sum.
  // While the unit waits for the transfers of other units, their bytes count too. A unit makes
  // progress if this number or `steps_done` rises. A heartbeat alone is no progress.
  int64_t bytes_moved = 0;
  // Whether a thread computes the unit and does not wait for the network. If false, a stall is not
  // the unit's fault.
  bool computing = false;
  bool operator==(const UnitProgress&) const = default;
};

struct HeartbeatRequest {
  uint64_t session = 0;
  // Units whose leases must not expire: units that wait for a slot, run, or have a result or
  // failure that is not delivered yet, including held results (Verdict::kHold).
  std::vector<UnitProgress> running;
  int64_t blocks_cached_bytes = 0;   // size of the block cache
  int64_t blocks_read_bytes = 0;     // read from blocks since the process began
  int64_t blocks_fetched_bytes = 0;  // fetched from the master since the process began
  uint64_t notices_seen = 0;         // highest HeartbeatReply::number received in this session
  Retries retries;
  bool operator==(const HeartbeatRequest&) const = default;
};

struct CommitNotice {
  std::string job;
  // Last committed round. The executor need not keep contributions of rounds before it. INT64_MAX:
  // the job has ended, is paused or is unknown, so none of its contributions need to be kept.
  int64_t round = 0;
  bool operator==(const CommitNotice&) const = default;
};

struct GatherInput {
  int32_t index = 0;   // index of the unit
  uint64_t hash = 0;   // XXH3-64 of its contribution's bytes
  int64_t weight = 0;  // of the contribution in the round's mean
  bool operator==(const GatherInput&) const = default;
};

// Request for contributions that were accepted with kHold: their sum on the round's grid
// (averaging/partial_sum.h), or a single contribution unchanged. The executor answers with
// ContributionChunks. An executor that lacks an input sends nothing.
struct Gather {
  uint64_t number = 0;  // identifies the gather; part of its chunks
  std::string job;
  int64_t round = 0;
  std::string spec_sha256;          // as in a lease
  bool sum = false;                 // false: `inputs` has one entry
  std::vector<int32_t> exponents;   // with `sum`: the grid, by merged segment
  int64_t weight_sum = 0;           // with `sum`: of all contributions of the round
  std::vector<GatherInput> inputs;  // ascending by index
  bool operator==(const Gather&) const = default;
};

struct HeartbeatReply {
  std::vector<UnitId> abandon;     // units of the request that are not needed from this executor
  std::vector<std::string> offer;  // parts to offer: "job/sha256"
  std::vector<CommitNotice> committed;
  bool master_stops = false;  // take no new work
  // Ascending within a session. Entries of `offer` and `committed` are repeated in later replies
  // until a heartbeat confirms the number of the latest reply (HeartbeatRequest::notices_seen).
  uint64_t number = 0;
  bool restart = false;  // the executor's work is stalled: end the session, restart the process
  std::string restart_reason;   // for people
  std::vector<Gather> gathers;  // all gathers that this executor has to answer now
  bool drain = false;           // finish running units, deliver them, and end the process
  bool operator==(const HeartbeatReply&) const = default;
};

struct GoodbyeRequest {
  uint64_t session = 0;
  bool operator==(const GoodbyeRequest&) const = default;
};

// ---- executor: work ----------------------------------------------------------------------------

struct LeaseRequest {
  uint64_t session = 0;
  int32_t free_slots = 0;  // at least 1
  // How long the master may hold back the answer if it has no work. Values below 0 count as 0,
  // values over limits::kLongPoll as limits::kLongPoll.
  int64_t wait_ms = 0;
  bool operator==(const LeaseRequest&) const = default;
};

// A part of a job's state.
struct NamedPart {
  std::string name;    // in the layout (averaging/state_layout.h): "model", "updater"
  std::string sha256;  // name of the content (base/part_name.h)
  bool operator==(const NamedPart&) const = default;
};

struct Lease {
  UnitId unit;
  uint64_t lease = 0;            // identifies the lease
  std::string base_sha256;       // of the complete input state (StateSha256)
  std::vector<NamedPart> parts;  // parts of the input state that the unit reads
  // Number of updates that the updater's state had seen before the job began (--resume-from).
  int64_t earlier_updates = 0;
  int64_t plateaus = 0;  // learning rate plateaus before this unit (nn::RateAt)
  // Entry of RegisterRequest::contracts under which the unit must be computed.
  std::string expected_contract;
  // SHA-256 of the job's spec. The id of the job does not identify the spec: a master with another
  // data folder, or an older copy of the folder, may have another job with this id.
  std::string spec_sha256;
  // `hint` is probably the next unit of this slot. Its minibatches may be read ahead.
  bool has_hint = false;
  UnitId hint;
  // Proves that the unit was leased to this executor. Must be returned with the result.
  uint64_t ticket = 0;
  bool operator==(const Lease&) const = default;
};

struct LeaseReply {
  std::vector<Lease> leases;
  std::vector<Gather> gathers;  // new gathers; answers to heartbeats repeat them
  bool operator==(const LeaseReply&) const = default;
};

// Describes a finished unit before its bytes are sent.
struct AnnounceRequest {
  uint64_t session = 0;
  uint64_t lease = 0;  // Lease::lease
  UnitId unit;
  std::string base_sha256;         // as in the lease
  uint64_t hash = 0;               // XXH3-64 of the contribution (train) or of `metrics` (evaluate)
  int64_t bytes = 0;               // of the contribution; 0 for evaluation units
  std::vector<NamedPart> parts;    // parts that are not merged (PartScope::kWorker)
  int64_t examples = 0;            // examples of the unit
  int64_t steps = 0;               // minibatches of the unit
  uint64_t example_hash_sum = 0;   // wrapping sum of ExampleHash over the examples
  std::string metrics;             // MetricSums as canonical JSON
  std::vector<double> magnitudes;  // largest absolute value per segment of the merged table
  std::string spec_sha256;         // as in the lease of the unit
  // Number of free slots. Raises the number in a LeaseRequest that is held back; never lowers it.
  int32_t free_slots = 0;
  uint64_t ticket = 0;  // of that lease
  // Times of the executor, in microseconds: the whole unit in its slot, and its shares. They are
  // shown to users and never trusted. 0: not measured.
  int64_t unit_us = 0;
  int64_t computing_us = 0;
  int64_t data_wait_us = 0;   // waiting for minibatches
  int64_t state_wait_us = 0;  // waiting for the parts of the input state
  // Histograms of the outputs of layers (EncodeHistograms), if the job records them and the unit
  // measured them (job/measured_unit.h); otherwise empty. They are shown to users and never
  // trusted. At most kMaxHistogramBytes.
  std::string activations;
  bool operator==(const AnnounceRequest&) const = default;
};

enum class Verdict : uint8_t {
  kSend = 1,      // accepted: send the bytes now
  kDone = 2,      // accepted, nothing to send (an evaluation unit)
  kUnwanted = 3,  // a duplicate, not leased, or not of the open round and state: drop it
  // Accepted: keep the bytes until a CommitNotice has a later round. A Gather may ask for them.
  kHold = 4,
};

struct AnnounceReply {
  Verdict verdict = Verdict::kUnwanted;
  bool operator==(const AnnounceReply&) const = default;
};

// A chunk of an accepted contribution, or of the answer to a Gather. Chunks of one content are sent
// in ascending order on one connection.
struct ContributionChunk {
  uint64_t session = 0;
  UnitId unit;          // for a gather: its first input
  uint64_t hash = 0;    // of the whole content
  uint64_t gather = 0;  // Gather::number; 0: the content was requested by kSend
  int64_t total = 0;    // bytes of the whole content
  int64_t offset = 0;
  uint64_t chunk_xxh3 = 0;  // XXH3-64 of `bytes`
  std::string bytes;        // at most limits::kChunkBytes
  bool operator==(const ContributionChunk&) const = default;
};

enum class Receipt : uint8_t {
  kMore = 1,      // continue at ContributionReply::received
  kComplete = 2,  // complete, verified, staged: do not send again unless asked
  // Not wanted from this session. The executor drops the contribution. After a gather, it keeps the
  // inputs.
  kUnwanted = 4,
};

struct ContributionReply {
  Receipt receipt = Receipt::kUnwanted;
  int64_t received = 0;  // kMore: number of bytes that the master has; continue there
  bool operator==(const ContributionReply&) const = default;
};

// Fault of an error that ended a unit, decided where the error arises. kUnit counts against the
// unit and the executor. kExecutor counts against that executor only. kMaster and kNetwork count
// against neither.
enum class Fault : uint8_t { kUnit = 1, kExecutor = 2, kMaster = 3, kNetwork = 4 };

// A unit that ended with an error while its executor kept running.
struct FailureReport {
  uint64_t session = 0;
  uint64_t lease = 0;
  UnitId unit;
  std::string code;     // ErrorCodeName
  std::string message;  // this and the next two: as in ErrorText (base/status.h)
  std::string where;
  std::string remedy;
  // NaN or infinity in the loss or in the unit's state; `where` is "loss" or names the segment.
  bool not_finite = false;
  Fault fault = Fault::kUnit;
  bool operator==(const FailureReport&) const = default;
};

// ---- executor: bulk ----------------------------------------------------------------------------

struct FetchRequest {
  uint64_t session = 0;  // 0 from clients
  std::string job;       // job of the part; not used for blocks and checkpoints
  std::string sha256;    // of the part or block; for a checkpoint: JOB@ROUND/PART (rpc/service.h)
  int64_t offset = 0;    // in bytes
  int64_t length = 0;    // in bytes, at most limits::kChunkBytes
  // Of a checkpoint: a random number that the client uses for all parts that it reads, until
  // ClientService::EndRead. 0: the client does not say when it has read the checkpoint.
  uint64_t reader = 0;
  bool operator==(const FetchRequest&) const = default;
};

struct Chunk {
  int64_t total = 0;        // bytes of the whole content
  int64_t offset = 0;       // as in the request
  uint64_t chunk_xxh3 = 0;  // XXH3-64 of `bytes`
  std::string bytes;        // fewer than requested at the end of the content
  // At offset 0 of a part of a running state or a checkpoint: SHA-256 of each piece, 32 bytes each
  // (base/part_name.h). The receiver verifies the part with them as it arrives. Else empty.
  std::string piece_hashes;
  bool operator==(const Chunk&) const = default;
};

// A chunk of a part that the master requested after its restart (HeartbeatReply::offer).
struct OfferChunk {
  uint64_t session = 0;
  std::string job;
  std::string sha256;       // name of the part (base/part_name.h)
  int64_t total = 0;        // bytes of the whole part
  int64_t offset = 0;       // in bytes
  uint64_t chunk_xxh3 = 0;  // XXH3-64 of `bytes`
  std::string bytes;
  std::string piece_hashes;  // at offset 0, as in Chunk
  bool operator==(const OfferChunk&) const = default;
};

struct FetchJobRequest {
  uint64_t session = 0;
  std::string job;
  bool operator==(const FetchJobRequest&) const = default;
};

struct FetchJobReply {
  std::string spec;            // canonical JSON
  std::string train_manifest;  // canonical JSON
  std::string test_manifest;   // empty if the job has no test set
  std::string contract;        // kernel contract; empty: not decided yet
  bool operator==(const FetchJobReply&) const = default;
};

}  // namespace dl::rpc
