#include "tests/unit/executor/scripted_master.h"

#include <algorithm>

#include "averaging/job_strategy.h"
#include "base/checksum.h"
#include "base/part_name.h"
#include "base/segment_table.h"
#include "nn/conf/segments.h"

namespace dl::executor {
namespace {

rpc::Chunk Slice(std::string_view whole, const rpc::FetchRequest& request) {
  rpc::Chunk chunk{.total = static_cast<int64_t>(whole.size()), .offset = request.offset};
  chunk.bytes = std::string(whole.substr(request.offset, request.length));
  chunk.chunk_xxh3 = Xxh3(chunk.bytes);
  return chunk;
}

}  // namespace

ScriptedMaster::ScriptedMaster(std::optional<float> first_weight)
    : job_(MakeMemoryJob(blocks_, 0.1, /*workers=*/2)) {
  spec_sha256_ = Sha256Hex(job_.Documents().spec);
  std::vector<float> first = nn::InitialState(job_.spec.model, job_.spec.seed);
  first[0] = first_weight.value_or(first[0]);
  const auto strategy = averaging::MakeStrategy(job_.spec);
  DL_CHECK(strategy.ok());
  DL_CHECK((*strategy)->layout().parts.size() == 1);  // sgd has no updater state
  const PartContent model{&(*strategy)->layout().model().table, first};
  model_ = HashParts({&model, 1}).front();
  state_sha256_ = StateSha256({{"model", model_.name}});
  const auto bytes = std::as_bytes(std::span(first));
  state_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

rpc::Lease ScriptedMaster::MakeLease(uint64_t lease, int32_t index) const {
  return {.unit = {"memory-1", UnitKind::kTrain, 1, index},
          .lease = lease,
          .base_sha256 = state_sha256_,
          .parts = {{.name = "model", .sha256 = model_.name}},
          .expected_contract = kContract,
          .spec_sha256 = spec_sha256_};
}

void ScriptedMaster::LeaseOut(uint64_t lease, int32_t index, const std::string& contract) {
  MutexLock lock(mutex_);
  leases_.push_back(MakeLease(lease, index));
  leases_.back().expected_contract = contract;
  changed_.NotifyAll();
}

bool ScriptedMaster::WaitUntil(const std::function<bool(const Heard&)>& holds) const {
  const Instant patience = Clock::Real().Now() + kTimeout;
  MutexLock lock(mutex_);
  while (!holds(heard_)) {
    const Duration left = patience - Clock::Real().Now();
    if (left <= Duration::zero()) return false;
    changed_.WaitFor(mutex_, left);
  }
  return true;
}

StatusOr<rpc::RegisterReply> ScriptedMaster::Register(const rpc::RegisterRequest& request,
                                                      Duration) {
  MutexLock lock(mutex_);
  heard_.registered.push_back(request);
  changed_.NotifyAll();
  holders_[++sessions_] = {request.holder, request.executor};
  return rpc::RegisterReply{.session = sessions_, .term = 1, .heartbeat_ms = 20};
}

StatusOr<rpc::HeartbeatReply> ScriptedMaster::Heartbeat(const rpc::HeartbeatRequest& request,
                                                        Duration) {
  rpc::HeartbeatReply reply;
  if (on_heartbeat) on_heartbeat(request, reply);
  MutexLock lock(mutex_);
  heard_.heartbeats.push_back(request);
  changed_.NotifyAll();
  return reply;
}

Status ScriptedMaster::Goodbye(const rpc::GoodbyeRequest&, Duration) {
  MutexLock lock(mutex_);
  ++heard_.goodbyes;
  changed_.NotifyAll();
  return absl::OkStatus();
}

StatusOr<rpc::LeaseReply> ScriptedMaster::LeaseUnits(const rpc::LeaseRequest& request, Duration) {
  constexpr Duration kHeldBack = std::chrono::milliseconds(20);
  rpc::LeaseReply reply;
  MutexLock lock(mutex_);
  heard_.lease_requests.push_back(request);
  changed_.NotifyAll();
  if (leases_.empty()) changed_.WaitFor(mutex_, kHeldBack);
  while (!leases_.empty() && static_cast<int32_t>(reply.leases.size()) < request.free_slots) {
    reply.leases.push_back(leases_.front());
    leases_.pop_front();
  }
  return reply;
}

StatusOr<rpc::AnnounceReply> ScriptedMaster::Announce(const rpc::AnnounceRequest& request,
                                                      Duration) {
  MutexLock lock(mutex_);
  heard_.announced.push_back(request);
  changed_.NotifyAll();
  return rpc::AnnounceReply{rpc::Verdict::kSend};
}

Status ScriptedMaster::ReportFailure(const rpc::FailureReport& report, Duration) {
  MutexLock lock(mutex_);
  heard_.failures.push_back(report);
  changed_.NotifyAll();
  return absl::OkStatus();
}

StatusOr<rpc::FetchJobReply> ScriptedMaster::FetchJob(const rpc::FetchJobRequest& request,
                                                      Duration) {
  if (on_fetch_job) DL_RETURN_IF_ERROR(on_fetch_job(request));
  return job_.Documents();
}

StatusOr<rpc::Chunk> ScriptedMaster::FetchPart(const rpc::FetchRequest& request, Duration) {
  rpc::Chunk chunk = Slice(state_, request);
  if (request.offset == 0) chunk.piece_hashes = model_.pieces;
  if (on_fetch_part) DL_RETURN_IF_ERROR(on_fetch_part(request, chunk));
  return chunk;
}

StatusOr<rpc::Chunk> ScriptedMaster::FetchBlock(const rpc::FetchRequest& request, Duration) {
  DL_ASSIGN_OR_RETURN(const auto block, blocks_.Get(request.sha256));
  rpc::Chunk chunk = Slice({reinterpret_cast<const char*>(block->data()), block->size()}, request);
  if (on_fetch_block) DL_RETURN_IF_ERROR(on_fetch_block(request, chunk));
  return chunk;
}

StatusOr<rpc::ContributionReply> ScriptedMaster::Contribute(const rpc::ContributionChunk& chunk,
                                                            Duration) {
  if (on_contribute) DL_RETURN_IF_ERROR(on_contribute(chunk));
  const bool whole = chunk.offset + static_cast<int64_t>(chunk.bytes.size()) == chunk.total;
  if (!whole) {
    return rpc::ContributionReply{
        .receipt = rpc::Receipt::kMore,
        .received = std::min(
            received_at_most,
            std::max(received_before, chunk.offset + static_cast<int64_t>(chunk.bytes.size())))};
  }
  MutexLock lock(mutex_);
  heard_.contributed.push_back(chunk.unit);
  changed_.NotifyAll();
  return rpc::ContributionReply{rpc::Receipt::kComplete};
}

}  // namespace dl::executor
