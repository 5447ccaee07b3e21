#include "executor/executor.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/fail_point.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/long_turns.h"
#include "base/trace.h"
#include "executor/announcement.h"
#include "executor/fault.h"

namespace dl::executor {
Executor::Executor(ExecutorOptions options)
    : options_(std::move(options)),
      blocks_(*options_.master, options_.block_cache),
      decoded_(std::make_shared<dataset::DecodedBlockCache>(blocks_, options_.block_memory_bytes)),
      jobs_(*options_.master, decoded_),
      chunks_(*options_.master, options_.part_cache_bytes),
      exchange_(options_.exchange != nullptr ? *options_.exchange : chunks_),
      held_(options_.held),
      engine_memory_(options_.core.unit_memory_bytes > 0 ? options_.core.unit_memory_bytes
                                                         : std::numeric_limits<int64_t>::max()) {
  for (int32_t i = 0; i < options_.core.slots; ++i) {
    slots_.push_back(std::make_unique<Slot>(i, JobEngines::Bounds{.shared = &engine_memory_}));
    slots_.back()->thread.Post([] { TakeLongTurns(); });
  }
  core_thread_ = Thread("executor", [this] { RunCore(); });
}

Executor::~Executor() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    wake_.NotifyAll();
  }
  core_thread_.Join();
  CancelAll();
}

void Executor::CancelAll() {
  for (auto& slot : slots_) {
    MutexLock lock(slot->mutex);
    slot->closed = true;
    slot->runner.Cancel();
  }
}

bool Executor::Quiet(Duration limit) {
  CancelAll();
  const Instant deadline = Clock::Real().Now() + limit;
  MutexLock lock(mutex_);
  while (computing_ > 0) {
    const Duration left = deadline - Clock::Real().Now();
    if (left <= Duration::zero()) return false;
    wake_.WaitFor(mutex_, left);
  }
  return true;
}

void Executor::Drain() { Post(DrainRequested{}); }

void Executor::Leave(Duration limit) {
  Post(StopRequested{});
  (void)HasLeft(limit);
}

bool Executor::HasLeft(Duration limit) {
  const Instant deadline = Clock::Real().Now() + limit;
  MutexLock lock(mutex_);
  while (!exited_) {
    const Duration left = deadline - Clock::Real().Now();
    if (left <= Duration::zero()) return false;
    wake_.WaitFor(mutex_, left);
  }
  return true;
}

void Executor::Post(Event event) {
  MutexLock lock(mutex_);
  queue_.push_back(std::move(event));
  wake_.NotifyAll();
}

void Executor::RunCore() {
  Clock& clock = Clock::Real();
  Core core(options_.core, clock.Now());
  std::vector<Event> drained = {Tick{}};
  for (;;) {
    for (const Event& event : drained) {
      const Span span(spans::kDecide);
      std::vector<Effect> effects = core.Step(event, clock.Now());
      session_ = core.session();
      for (const Effect& effect : effects) {
        std::visit([this](const auto& e) { Do(e); }, effect);
      }
    }
    drained.clear();
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stop_) {
        const Instant next = core.NextDeadline();
        const Duration left =
            next == Instant::Max() ? Duration(std::chrono::hours(1)) : next - clock.Now();
        if (left <= Duration::zero()) break;
        wake_.WaitFor(mutex_, left);
      }
      if (stop_) return;
      drained.swap(queue_);
    }
    if (drained.empty()) drained.push_back(Tick{});
  }
}

void Executor::Do(const SendRegister& effect) {
  rpc::RegisterRequest request = effect.request;
  request.held_parts = exchange_.Held();
  control_.Post([this, request = std::move(request)] {
    Post(RegisterAnswered{options_.master->Register(request, limits::kControlDeadline)});
  });
}

void Executor::Do(const SendHeartbeat& effect) {
  rpc::HeartbeatRequest request = effect.request;
  for (size_t i = 0; i < request.running.size(); ++i)
    Describe(effect.computations[i], request.running[i]);
  request.blocks_cached_bytes = blocks_.cached_bytes();
  request.blocks_fetched_bytes = blocks_.fetched_bytes();
  request.blocks_read_bytes = decoded_->stats().bytes_read;
  heartbeat_.Post([this, request = std::move(request)] {
    Post(HeartbeatAnswered{request.session,
                           options_.master->Heartbeat(request, limits::kControlDeadline)});
  });
}

// How far a unit is. Blocks are shared by all slots: those that arrived since the last heartbeat
// moved every unit that waits for data.
void Executor::Describe(uint64_t lease, rpc::UnitProgress& progress) {
  const auto found = computations_.find(lease);
  if (found == computations_.end()) return;  // it has not begun
  Computation& computation = *found->second;
  progress.steps_done = computation.steps_done;
  progress.steps_total = computation.steps_total;
  for (auto& slot : slots_) {
    MutexLock lock(slot->mutex);
    if (slot->running != lease) continue;
    progress.steps_done = slot->runner.steps_done();
    progress.steps_total = slot->runner.steps_total();
    const int64_t blocks = blocks_.fetched_bytes();
    if (slot->runner.reading()) computation.bytes_moved += blocks - slot->blocks_seen;
    slot->blocks_seen = blocks;
  }
  progress.bytes_moved = computation.bytes_moved;
}

void Executor::Do(const SendLease& effect) {
  lease_.Post([this, request = effect.request] {
    Span span(spans::kLease);
    auto reply = options_.master->LeaseUnits(request, limits::kControlDeadline);
    span.End();
    Post(LeaseAnswered{request.session, std::move(reply)});
  });
}

void Executor::Do(const SendAnnounce& effect) {
  control_.Post([this, request = effect.request] {
    (void)FailPoint("executor.announce");
    Span span(spans::kAnnounce, Of(request.unit));
    auto reply = options_.master->Announce(request, limits::kControlDeadline);
    span.End();
    if (!reply.ok() && !IsOutage(reply.status()))
      LogWarning("announcing ", ToString(request.unit), ": ", DescribeError(reply.status()));
    Post(AnnounceAnswered{request.session, request.lease, request.unit, std::move(reply)});
  });
}

void Executor::Do(const SendFailure& effect) {
  control_.Post([this, lease = effect.lease, request = effect.request] {
    Post(FailureReported{request.session, lease, request.unit,
                         options_.master->ReportFailure(request, limits::kControlDeadline)});
  });
}

void Executor::Do(const SendGoodbye& effect) {
  control_.Post([this, request = effect.request] {
    (void)options_.master->Goodbye(request, limits::kControlDeadline);
    Post(GoodbyeAnswered{});
  });
}

void Executor::Do(const RunUnit& effect) {
  Slot* const slot = slots_[effect.slot].get();
  {
    MutexLock lock(slot->mutex);
    slot->aborted[effect.lease.lease] = false;
  }
  const auto computation = std::make_shared<Computation>();
  computations_[effect.lease.lease] = computation;
  slot->thread.Post([this, slot, lease = effect.lease, session = session_, computation] {
    Compute(*slot, lease, session, computation);
  });
}

void Executor::Do(const AbortUnit& effect) {
  computations_.erase(effect.lease);
  for (auto& slot : slots_) {
    MutexLock lock(slot->mutex);
    auto found = slot->aborted.find(effect.lease);
    if (found != slot->aborted.end()) found->second = true;
    if (slot->running == effect.lease) slot->runner.Cancel();
  }
}

void Executor::Do(const Joined&) {
  if (options_.on_joined) options_.on_joined();
}

void Executor::Do(const Waits& effect) {
  if (options_.on_waiting) return options_.on_waiting(effect.why);
  LogWarning("cannot register with the master, trying on: ", DescribeError(effect.why));
}

void Executor::Do(const Refused& effect) {
  if (options_.on_refused) options_.on_refused(effect.why);
  MutexLock lock(mutex_);
  exited_ = true;
  wake_.NotifyAll();
}

void Executor::Do(const StartAnew& effect) {
  if (options_.on_start_anew) {
    options_.on_start_anew(effect.why);
  } else {
    LogWarning(
        "the master asks that this executor starts anew, which it cannot, as a part of the "
        "master's process: ",
        effect.why);
  }
}

void Executor::Do(const Warn& effect) { LogWarning(effect.message); }

void Executor::Do(const Exit&) {
  MutexLock lock(mutex_);
  exited_ = true;
  wake_.NotifyAll();
}

void Executor::Compute(Slot& slot, const rpc::Lease& lease, uint64_t session,
                       const std::shared_ptr<Computation>& computation) {
  {
    MutexLock lock(slot.mutex);
    const bool aborted = slot.aborted[lease.lease];
    slot.aborted.erase(lease.lease);
    if (aborted || slot.closed)
      return Post(UnitFailed{lease.lease, lease.unit, Cancelled({.message = "not begun"})});
    slot.running = lease.lease;
    slot.runner.Begin();
  }
  {
    MutexLock lock(mutex_);
    ++computing_;
  }
  CrashNote* const note = options_.crash_note;
  if (note != nullptr) note->Begin(slot.number, lease.unit, lease.spec_sha256);
  bool not_finite = false;
  Span span(spans::kUnit, Of(lease.unit));
  auto outcome = ComputeUnit(slot, lease, session, computation, not_finite);
  span.End();
  if (note != nullptr) note->End(slot.number);
  {
    MutexLock lock(slot.mutex);
    slot.running = 0;
    computation->steps_done = slot.runner.steps_done();
    computation->steps_total = slot.runner.steps_total();
  }
  {
    MutexLock lock(mutex_);
    --computing_;
    wake_.NotifyAll();
  }
  if (outcome.ok()) {
    Post(UnitFinished{lease.lease, lease.unit, *std::move(outcome)});
  } else {
    const rpc::Fault fault = FaultOf(outcome.status());
    // What is tried again the core tells, and not each time.
    if (!absl::IsCancelled(outcome.status()) && !IsTriedAgain(fault)) {
      LogInfo("computing ", ToString(lease.unit), ": ", DescribeError(outcome.status()));
    }
    Post(UnitFailed{lease.lease, lease.unit, outcome.status(), fault, not_finite});
  }
}

StatusOr<UnitOutcome> Executor::ComputeUnit(Slot& slot, const rpc::Lease& lease, uint64_t session,
                                            const std::shared_ptr<Computation>& computation,
                                            bool& not_finite) {
  const SpanOf of = Of(lease.unit);
  Span finding(spans::kContext, of);
  DL_ASSIGN_OR_RETURN(std::shared_ptr<const JobContext> job,
                      jobs_.Get(lease.unit.job, lease.spec_sha256, session));
  finding.End();
  if (lease.expected_contract != options_.core.contract) {
    return Blame(rpc::Fault::kExecutor,
                 FailedPrecondition({.message = absl::StrCat(
                                         "the unit wants kernel contract ", lease.expected_contract,
                                         ", this executor computes under ", options_.core.contract),
                                     .where = options_.core.name}));
  }
  UnitRunner::Base base{.earlier_updates = lease.earlier_updates};
  // A training unit starts from the state of the round before; an evaluation measures its own.
  const int64_t round = lease.unit.round - (lease.unit.kind == UnitKind::kTrain ? 1 : 0);
  const ByteCount moved(computation, &computation->bytes_moved);
  const auto fetch = [&](const std::string& sha256, const SegmentTable& table) {
    return Blame(rpc::Fault::kMaster,
                 exchange_.Fetch(session, {job->id, round, sha256}, table, moved));
  };
  Span fetching(spans::kFetch, of);
  for (const rpc::NamedPart& named : lease.parts) {
    const averaging::PartLayout* part = job->layout().Find(named.name);
    if (part == nullptr || part->scope == averaging::PartScope::kStrategy) {
      return Blame(rpc::Fault::kMaster,
                   InvalidArgument({.message = absl::StrCat("the job's state has no part ",
                                                            named.name, " for units"),
                                    .where = job->id}));
    }
    DL_ASSIGN_OR_RETURN(base.parts[named.name], fetch(named.sha256, part->table));
  }
  if (!base.parts.contains(job->layout().model().name)) {
    return Blame(rpc::Fault::kMaster,
                 InvalidArgument({.message = "the lease names no model", .where = job->id}));
  }
  fetching.End();
  DL_RETURN_IF_ERROR(FailPoint("executor.compute"));
  auto result = slot.runner.Run(job, lease.unit, base, lease.has_hint ? &lease.hint : nullptr);
  not_finite = slot.runner.not_finite();
  DL_RETURN_IF_ERROR(result.status());
  UnitOutcome outcome;
  DL_ASSIGN_OR_RETURN(outcome.announcement, AnnouncementOf(*job, lease, *result, not_finite));
  computation->result = std::move(result->state);
  return outcome;
}

}  // namespace dl::executor
