#include "executor/compute_threads.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/fail_point.h"
#include "base/log.h"
#include "base/trace.h"
#include "executor/fault.h"
#include "executor/make_announcement.h"

namespace dl::executor {

ComputeThreads::ComputeThreads(Options options) : options_(std::move(options)) {
  for (int32_t i = 0; i < options_.slots; ++i)
    slots_.push_back(std::make_unique<Slot>(i, options_.make_computer(i)));
}

void ComputeThreads::Do(const RunUnit& effect, uint64_t session) {
  Slot& slot = *slots_[effect.slot];
  const auto computation = options_.computations.Begin(effect.lease.lease);
  slot.Queue(effect.lease.lease, [this, &slot, lease = effect.lease, session, computation] {
    Compute(slot, lease, session, computation);
  });
}

void ComputeThreads::Do(const AbortUnit& effect) {
  options_.computations.Drop(effect.lease);
  for (auto& slot : slots_) slot->Abort(effect.lease);
}

void ComputeThreads::Describe(uint64_t lease, rpc::UnitProgress& progress) {
  const std::shared_ptr<Computation> computation = options_.computations.Find(lease);
  if (computation == nullptr) return;  // not started yet
  progress.steps_done = computation->steps_done;
  progress.steps_total = computation->steps_total;
  progress.computing = computation->computing;
  for (auto& slot : slots_) slot->Describe(lease, options_.fetched_bytes(), *computation, progress);
  progress.bytes_moved = computation->bytes_moved;
}

void ComputeThreads::CancelAll() {
  for (auto& slot : slots_) slot->Close();
}

bool ComputeThreads::WaitUntilIdle(Duration limit) {
  const Instant deadline = Clock::Real().Now() + limit;
  MutexLock lock(mutex_);
  while (computing_ > 0) {
    const Duration left = deadline - Clock::Real().Now();
    if (left <= Duration::zero()) return false;
    ended_.WaitFor(mutex_, left);
  }
  return true;
}

void ComputeThreads::Compute(Slot& slot, const rpc::Lease& lease, uint64_t session,
                             const std::shared_ptr<Computation>& computation) {
  if (!slot.Begin(lease.lease)) {
    return options_.post(
        UnitFailed{lease.lease, lease.unit,
                   Cancelled({.message = "the computation was cancelled before it started"})});
  }
  {
    MutexLock lock(mutex_);
    ++computing_;
  }
  options_.began(slot.number(), lease);
  bool not_finite = false;
  Span span(spans::kUnit, SubjectOf(lease.unit));
  auto outcome = ComputeUnit(slot, lease, session, computation, not_finite);
  span.End();
  options_.ended(slot.number());
  slot.End(*computation);
  {
    MutexLock lock(mutex_);
    --computing_;
    ended_.NotifyAll();
  }
  if (outcome.ok())
    return options_.post(UnitFinished{lease.lease, lease.unit, *std::move(outcome)});
  const rpc::Fault fault = FaultOf(outcome.status());
  // The core reports failures that are retried, but not every time.
  if (!absl::IsCancelled(outcome.status()) && !IsTriedAgain(fault)) {
    LogInfo("cannot compute unit ", ToString(lease.unit), ": ", DescribeError(outcome.status()));
  }
  options_.post(UnitFailed{lease.lease, lease.unit, outcome.status(), fault, not_finite,
                           FetchTargetOf(outcome.status())});
}

StatusOr<UnitOutcome> ComputeThreads::ComputeUnit(Slot& slot, const rpc::Lease& lease,
                                                  uint64_t session,
                                                  const std::shared_ptr<Computation>& computation,
                                                  bool& not_finite) {
  const Clock& clock = Clock::Real();
  TimesInSlot times{.began = clock.Now()};
  Span finding(spans::kContext, SubjectOf(lease.unit));
  DL_ASSIGN_OR_RETURN(std::shared_ptr<const JobContext> job,
                      WithFetchTarget(FetchTarget::kJob, options_.find_job(lease, session)));
  finding.End();
  if (!options_.contracts.contains(lease.expected_contract)) {
    return WithFault(
        rpc::Fault::kExecutor,
        FailedPrecondition(
            {.message = absl::StrCat("the unit needs kernel contract ", lease.expected_contract,
                                     ", but this executor offers only ",
                                     absl::StrJoin(options_.contracts, " and ")),
             .where = options_.executor}));
  }
  const Instant asked = clock.Now();
  DL_ASSIGN_OR_RETURN(const UnitComputer::Base base, FetchBase(*job, lease, session, computation));
  times.state_arrived = clock.Now();
  times.state_wait = times.state_arrived - asked;
  computation->computing = true;
  DL_RETURN_IF_ERROR(FailPoint("executor.compute"));
  auto result = slot.computer().Run(job, lease.unit, base, lease.has_hint ? &lease.hint : nullptr);
  not_finite = slot.computer().not_finite();
  DL_RETURN_IF_ERROR(result.status());
  UnitOutcome outcome;
  DL_ASSIGN_OR_RETURN(outcome.announcement, MakeAnnouncement(*job, lease, *result, not_finite));
  times.data_wait = result->data_wait;
  times.ended = clock.Now();
  AddTimes(times, outcome.announcement);
  computation->result = std::move(result->state);
  return outcome;
}

StatusOr<UnitComputer::Base> ComputeThreads::FetchBase(
    const JobContext& job, const rpc::Lease& lease, uint64_t session,
    const std::shared_ptr<Computation>& computation) {
  const Span span(spans::kFetch, SubjectOf(lease.unit));
  UnitComputer::Base base{.earlier_updates = lease.earlier_updates, .plateaus = lease.plateaus};
  // A training unit starts from the state of the previous round; an evaluation unit uses the state
  // of its own round.
  const int64_t round = lease.unit.round - (lease.unit.kind == UnitKind::kTrain ? 1 : 0);
  const ByteCount moved(computation, &computation->bytes_moved);
  for (const rpc::NamedPart& named : lease.parts) {
    const averaging::PartLayout* part = job.layout().Find(named.name);
    if (part == nullptr || part->scope == averaging::PartScope::kStrategy) {
      return WithFault(rpc::Fault::kMaster,
                       InvalidArgument({.message = absl::StrCat("the job's state has no part ",
                                                                named.name, " that units read"),
                                        .where = job.id}));
    }
    DL_ASSIGN_OR_RETURN(base.parts[named.name],
                        WithFault(rpc::Fault::kMaster,
                                  options_.exchange.Fetch(session, {job.id, round, named.sha256},
                                                          part->table, moved)));
  }
  if (!base.parts.contains(job.layout().model().name)) {
    return WithFault(
        rpc::Fault::kMaster,
        InvalidArgument({.message = "the lease does not contain the model's part of the state",
                         .where = job.id}));
  }
  return base;
}

}  // namespace dl::executor
