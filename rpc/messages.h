// What executors, clients and the master say to each other, as plain structs. Thrift (rpc/idl), the
// in-process gateway and the simulator carry the same ones. docs/protocol.md tells the exchange;
// this file is the vocabulary, and rpc/client_messages.h what of it clients use.
//
// Names of content: a *part* of a committed round's state (the model, updater state, what a
// strategy keeps) is fetched and offered by its name (base/part_name.h). A contribution is named by
// (unit, XXH3-64 of its bytes).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "rpc/client_messages.h"

namespace dl::rpc {

// ---- executor: session -------------------------------------------------------------------------

struct HeldContribution {
  UnitId unit;
  uint64_t hash = 0;
  bool operator==(const HeldContribution&) const = default;
};

// A unit that was under way when a fatal signal ended the executor's process.
struct CrashedUnit {
  UnitId unit;
  std::string spec_sha256;  // as in the lease that it was computed under
  std::string signal;       // "SIGSEGV"
  uint64_t lease = 0;       // that it was computed under
  uint64_t ticket = 0;      // of that lease
  bool operator==(const CrashedUnit&) const = default;
};

// A kernel contract that an executor computes under when a lease asks for it.
struct OfferedContract {
  std::string contract;
  std::string isa;  // "avx2", "avx512"
  bool operator==(const OfferedContract&) const = default;
};

// What an executor tried again since its process began, because network or master kept it from it,
// by what it was for. A count never falls, and stays where it is at kMost.
struct Retries {
  static constexpr int64_t kMost = 1'000'000'000'000;

  int64_t sessions = 0;  // registrations and heartbeats
  int64_t leases = 0;    // requests for work
  int64_t jobs = 0;      // documents of jobs
  int64_t states = 0;    // and pieces of them
  int64_t blocks = 0;
  int64_t results = 0;  // announcements, bytes, failures
  bool operator==(const Retries&) const = default;
};

struct RegisterRequest {
  std::string executor;      // stable name, unique in the cluster ("host-12345")
  uint64_t incarnation = 0;  // start counter of that name: a higher one fences the lower
  int32_t slots = 0;
  // At least one. By the first a job's contract is decided; under the others it computes jobs that
  // have them.
  std::vector<OfferedContract> contracts;
  std::string host;
  int32_t pid = 0;
  std::string version;
  std::vector<std::string> held_parts;  // SHA-256 of states it still has
  std::vector<HeldContribution>
      held_contributions;            // accepted ones whose round may not be committed
  std::vector<CrashedUnit> crashed;  // by the incarnation before this one
  // What all units together that it computes at once may take of its memory; 0: it does not say,
  // and gets as many as it has slots.
  int64_t unit_memory_bytes = 0;
  std::vector<std::string> labels;  // base/label.h
  Retries retries;
  // The process that opened the connection, and its token (the owner of a certificate). The server
  // sets both; they do not travel.
  std::string holder, token;
  bool operator==(const RegisterRequest&) const = default;
};

struct RegisterReply {
  uint64_t session =
      0;  // goes with every later message; dies with the master's term or a newer incarnation
  uint64_t term = 0;
  int64_t heartbeat_ms = 0;  // send one at least this often
  int64_t lease_ms = 0;      // how long a lease lives without a heartbeat
  bool operator==(const RegisterReply&) const = default;
};

struct UnitProgress {
  UnitId unit;
  uint64_t lease = 0;
  int64_t steps_done = 0;
  int64_t steps_total = 0;
  // Fetched for it and arrived, sent of its contribution and acknowledged. A unit goes on when this
  // or `steps_done` rises; that the executor is heard says nothing of the unit.
  int64_t bytes_moved = 0;
  // A thread computes it, and waits for nothing that has to come over the network. Where it is
  // false, that a unit stands still is not the unit's fault.
  bool computing = false;
  bool operator==(const UnitProgress&) const = default;
};

struct HeartbeatRequest {
  uint64_t session = 0;
  std::vector<UnitProgress> running;  // also what waits to be sent: leases that are to live on
  int64_t blocks_cached_bytes = 0;
  int64_t blocks_read_bytes = 0;
  int64_t blocks_fetched_bytes = 0;
  uint64_t notices_seen = 0;  // HeartbeatReply::number of the last answer that arrived
  Retries retries;
  bool operator==(const HeartbeatRequest&) const = default;
};

struct CommitNotice {
  std::string job;
  int64_t round = 0;  // contributions of rounds before this one need not be kept
  bool operator==(const CommitNotice&) const = default;
};

struct GatherInput {
  int32_t index = 0;  // of the unit
  uint64_t hash = 0;  // of its contribution's bytes
  int64_t weight = 0;
  bool operator==(const GatherInput&) const = default;
};

// Contributions that were accepted with kHold, and that the master wants now: what they sum to on
// the round's grid (averaging/partial_sum.h), or the only one as it is.
struct Gather {
  uint64_t number = 0;  // names it; goes with its chunks
  std::string job;
  int64_t round = 0;
  std::string spec_sha256;  // as in a lease
  bool sum = false;
  std::vector<int32_t> exponents;   // sum: the grid, by merged segment
  int64_t weight_sum = 0;           // sum: of all contributions of the round
  std::vector<GatherInput> inputs;  // ascending by index
  bool operator==(const Gather&) const = default;
};

struct HeartbeatReply {
  std::vector<UnitId> abandon;     // running or held units that nobody needs any more
  std::vector<std::string> offer;  // parts to offer: "job/sha256"
  std::vector<CommitNotice> committed;
  bool drain = false;  // take no new work: the master stops
  // Ascending within a session. What an answer says is said again in later ones until a heartbeat
  // names its number, or a later one, as seen.
  uint64_t number = 0;
  bool start_anew = false;  // its work stands still: end the session and start the process again
  std::string start_anew_why;
  std::vector<Gather> gathers;  // all that are wanted of this executor now
  bool leave = false;           // finish what runs, deliver it, and end the process
  bool operator==(const HeartbeatReply&) const = default;
};

struct GoodbyeRequest {
  uint64_t session = 0;
  bool operator==(const GoodbyeRequest&) const = default;
};

// ---- executor: work ----------------------------------------------------------------------------

struct LeaseRequest {
  uint64_t session = 0;
  int32_t free_slots = 0;
  int64_t wait_ms = 0;  // the master holds the answer back this long when it has nothing
  bool operator==(const LeaseRequest&) const = default;
};

// A part of a job's state by its name in the layout (averaging/state_layout.h).
struct NamedPart {
  std::string name;
  std::string sha256;
  bool operator==(const NamedPart&) const = default;
};

struct Lease {
  UnitId unit;
  uint64_t lease = 0;
  std::string base_sha256;       // of the whole state that the unit starts from
  std::vector<NamedPart> parts;  // of it that the unit reads
  int64_t earlier_updates = 0;  // that the updater's state saw before the job began (--resume-from)
  int64_t plateaus = 0;         // behind which a training unit is computed (nn::RateAt)
  std::string expected_contract;
  std::string spec_sha256;  // of the job's frozen spec: a job's name alone may come again, under a
                            // master with another data folder or an older copy of it
  // `hint` is likely to be this slot's next unit: its batches may be read ahead.
  bool has_hint = false;
  UnitId hint;
  // Shows that this executor was leased the unit; goes back with the result.
  uint64_t ticket = 0;
  bool operator==(const Lease&) const = default;
};

struct LeaseReply {
  std::vector<Lease> leases;
  std::vector<Gather> gathers;  // that are wanted since lately
  bool operator==(const LeaseReply&) const = default;
};

// A finished unit, before its bytes travel.
struct AnnounceRequest {
  uint64_t session = 0;
  uint64_t lease = 0;
  UnitId unit;
  std::string base_sha256;
  uint64_t hash = 0;  // XXH3-64 of the contribution's bytes (train) or of `metrics` (evaluate)
  int64_t bytes = 0;  // length of the contribution; 0 for evaluation units
  std::vector<NamedPart> parts;  // inside the contribution, that the worker keeps to itself
  int64_t examples = 0;
  int64_t steps = 0;
  uint64_t example_hash_sum = 0;   // wrapping sum of ExampleHash over the examples trained
  std::string metrics;             // MetricSums as canonical JSON
  std::vector<double> magnitudes;  // per segment of the merged table
  std::string spec_sha256;         // as in the lease that it was computed under
  // The slots that now wait for work: a LeaseRequest that is still held back is for as many.
  int32_t free_slots = 0;
  uint64_t ticket = 0;  // of that lease
  bool operator==(const AnnounceRequest&) const = default;
};

enum class Verdict : uint8_t {
  kSend = 1,      // accepted: send the bytes now
  kDone = 2,      // accepted, nothing to send (an evaluation unit)
  kUnwanted = 3,  // a duplicate, or of a round that is over: drop it
  kHold = 4,      // accepted: keep the bytes until the commit, a Gather asks for them
};

struct AnnounceReply {
  Verdict verdict = Verdict::kUnwanted;
  bool operator==(const AnnounceReply&) const = default;
};

// One chunk of an accepted contribution, or of what a Gather asks for. Chunks of one content are
// sent in ascending order on one connection.
struct ContributionChunk {
  uint64_t session = 0;
  UnitId unit;          // of a gather its first input
  uint64_t hash = 0;    // of the whole
  uint64_t gather = 0;  // Gather::number; 0: a contribution that the verdict asked for
  int64_t total = 0;    // bytes of the whole
  int64_t offset = 0;
  uint64_t chunk_xxh3 = 0;
  std::string bytes;  // at most limits::kChunkBytes
  bool operator==(const ContributionChunk&) const = default;
};

enum class Receipt : uint8_t {
  kMore = 1,      // go on at ContributionReply::received
  kComplete = 2,  // whole, verified, staged: never send it again unless asked to
  kWait = 3,      // staging is full: start over after retry_ms
  kUnwanted = 4,
};

struct ContributionReply {
  Receipt receipt = Receipt::kUnwanted;
  int64_t retry_ms = 0;
  int64_t received = 0;  // kMore: bytes of the whole that the master has; go on there
  bool operator==(const ContributionReply&) const = default;
};

// Whose fault it is that a unit ended in an error, decided where the error arises. Only kUnit says
// something of the unit; kExecutor counts against that executor alone, the others against nobody.
enum class Fault : uint8_t { kUnit = 1, kExecutor = 2, kMaster = 3, kNetwork = 4 };

// A unit that ended in an error (not by losing its process: that never counts against it).
struct FailureReport {
  uint64_t session = 0;
  uint64_t lease = 0;
  UnitId unit;
  std::string code;  // ErrorCodeName
  std::string message;
  std::string where;
  std::string remedy;
  bool not_finite = false;  // NaN or Inf in loss, gradient or parameters; `where` names the layer
  Fault fault = Fault::kUnit;
  bool operator==(const FailureReport&) const = default;
};

// ---- executor: bulk ----------------------------------------------------------------------------

struct FetchRequest {
  uint64_t session = 0;  // 0 from clients
  std::string job;       // empty for dataset blocks
  std::string sha256;    // of the part or block
  int64_t offset = 0;
  int64_t length = 0;  // at most limits::kChunkBytes
  bool operator==(const FetchRequest&) const = default;
};

struct Chunk {
  int64_t total = 0;  // bytes of the whole
  int64_t offset = 0;
  uint64_t chunk_xxh3 = 0;
  std::string bytes;
  // At offset 0 of a part, running or of a checkpoint: the SHA-256 of its pieces, 32 bytes each
  // (base/part_name.h), by which whoever fetches it verifies it as it arrives. Else empty.
  std::string piece_hashes;
  bool operator==(const Chunk&) const = default;
};

// A part that the master asked for after its restart.
struct OfferChunk {
  uint64_t session = 0;
  std::string job;
  std::string sha256;
  int64_t total = 0;
  int64_t offset = 0;
  uint64_t chunk_xxh3 = 0;
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
  std::string test_manifest;   // empty when the job has no test set
  std::string contract;
  bool operator==(const FetchJobReply&) const = default;
};

}  // namespace dl::rpc
