#include "tests/sim/executor_slots.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "executor/fault.h"

namespace dl::sim {

void ExecutorSlots::Do(const executor::RunUnit& effect, uint64_t session) {
  const rpc::Lease& lease = effect.lease;
  if (!options_.contracts.contains(lease.expected_contract)) {
    options_.trouble(lease.unit, Trouble::kOther);
    const Status refused = FailedPrecondition(
        {.message = "the unit wants another kernel contract", .where = lease.expected_contract});
    return services_.process.Later({}, [this, lease, refused] {
      services_.handle(
          executor::UnitFailed{lease.lease, lease.unit, refused, rpc::Fault::kExecutor});
    });
  }
  computing_[lease.lease] = lease;
  services_.computations.Begin(lease.lease);
  fetching_->Post([this, lease, session] {
    StatusOr<Base> base = Fetch(lease, session);
    // Posted to the agenda, so that the core and the slots are not entered from a thread's stack.
    services_.process.Later({}, [this, lease, base = std::move(base)] {
      if (!computing_.contains(lease.lease)) return;
      if (base.ok()) return ComputeUnit(lease, *base);
      computing_.erase(lease.lease);
      services_.handle(executor::UnitFailed{lease.lease, lease.unit, base.status(),
                                            executor::FaultOf(base.status())});
    });
  });
}

void ExecutorSlots::Describe(uint64_t lease, rpc::UnitProgress& progress) const {
  constexpr int64_t kSteps = 100;  // of a unit
  const auto computation = services_.computations.Find(lease);
  if (computation == nullptr) return;
  progress.computing = computation->computing;
  progress.bytes_moved = computation->bytes_moved;
  const auto found = in_kernels_.find(lease);
  if (found == in_kernels_.end()) return;
  const auto& [begin, end] = found->second;
  progress.steps_total = kSteps;
  progress.steps_done = kSteps * (services_.process.now() - begin) / (end - begin);
}

std::vector<rpc::CrashedUnit> ExecutorSlots::NoteOf(uint64_t culprit) const {
  std::vector<rpc::CrashedUnit> note;
  for (const auto& [number, lease] : computing_) {
    if (culprit != 0 && culprit != number) continue;
    note.push_back({.unit = lease.unit,
                    .spec_sha256 = lease.spec_sha256,
                    .signal = "SIGSEGV",
                    .lease = lease.lease,
                    .ticket = lease.ticket});
  }
  return note;
}

const SimJob& ExecutorSlots::JobOf(const UnitId& unit) const {
  return services_.disk->jobs.at(unit.job);
}

StatusOr<Base> ExecutorSlots::Fetch(const rpc::Lease& lease, uint64_t session) {
  const auto computation = services_.computations.Find(lease.lease);
  if (computation == nullptr) return Cancelled({.message = "not begun"});
  const auto strategy = MakeStrategy(JobOf(lease.unit));
  const int64_t round = lease.unit.round - (lease.unit.kind == UnitKind::kTrain ? 1 : 0);
  const executor::ByteCount moved(computation, &computation->bytes_moved);
  Base base;
  for (const rpc::NamedPart& named : lease.parts) {
    DL_ASSIGN_OR_RETURN(
        const executor::SharedPart part,
        services_.exchange->Fetch(session, {lease.unit.job, round, named.sha256},
                                  strategy->layout().Find(named.name)->table, moved));
    const std::span<const float> values = part->span();
    base.emplace(named.name, Vector(values.begin(), values.end()));
  }
  return base;
}

// Its thread returns a little later. If it hangs, it occupies its slot forever.
void ExecutorSlots::Do(const executor::AbortUnit& effect) {
  services_.computations.Drop(effect.lease);
  if (computing_.erase(effect.lease) == 0 || hung_.contains(effect.lease)) return;
  const Duration soon = std::chrono::milliseconds(services_.random.Bounded(100));
  services_.process.Later(soon, [this, effect] {
    services_.handle(
        executor::UnitFailed{effect.lease, effect.unit, Cancelled({.message = "aborted"})});
  });
}

void ExecutorSlots::ComputeUnit(const rpc::Lease& lease, const Base& base) {
  const auto took =
      std::chrono::microseconds(1000 + services_.random.Bounded(static_cast<uint64_t>(
                                           options_.unit_time / std::chrono::microseconds(1))));
  services_.computations.Find(lease.lease)->computing = true;
  if (services_.faults.hanging > 0 && services_.random.NextDouble() < services_.faults.hanging) {
    hung_.insert(lease.lease);
    return options_.trouble(lease.unit, Trouble::kHung);
  }
  in_kernels_[lease.lease] = {.begin = services_.process.now(),
                              .end = services_.process.now() + took};
  services_.process.Later(took, [this, lease, base] { EndUnit(lease, base); });
}

void ExecutorSlots::EndUnit(const rpc::Lease& lease, const Base& base) {
  in_kernels_.erase(lease.lease);
  if (!computing_.contains(lease.lease)) return;
  const auto computation = services_.computations.Find(lease.lease);
  computation->computing = false;
  const SimJob& job = JobOf(lease.unit);
  const bool train = lease.unit.kind == UnitKind::kTrain;
  const SimJob::Fate fate = job.Befalls(lease.unit) ? job.fate : SimJob::Fate::kNone;
  if (fate == SimJob::Fate::kCrash || services_.random.NextDouble() < services_.faults.crashing)
    return options_.crash(services_.random.Bounded(4) == 0 ? 0 : lease.lease);
  if (services_.faults.killed > 0 && services_.random.NextDouble() < services_.faults.killed)
    return options_.killed(lease.unit);
  computing_.erase(lease.lease);
  const bool no_number = train && services_.random.NextDouble() < services_.faults.not_finite;
  if (fate == SimJob::Fate::kNotFinite || no_number) {
    options_.trouble(lease.unit, Trouble::kNotFinite);
    return services_.handle(executor::UnitFailed{
        .lease = lease.lease,
        .unit = lease.unit,
        .status = InvalidArgument({.message = "a loss is no number (planted)", .where = "loss"}),
        .not_finite = true});
  }
  if (services_.random.NextDouble() < services_.faults.failing) {
    options_.trouble(lease.unit, Trouble::kOther);
    return services_.handle(executor::UnitFailed{
        lease.lease, lease.unit,
        Internal({.message = "a kernel failed (planted)", .where = "layer 1"})});
  }
  Outcome outcome = Compute(
      job, lease.unit,
      {base, lease.base_sha256, lease.expected_contract, lease.earlier_updates, lease.plateaus});
  outcome.announcement.ticket = lease.ticket;
  if (train && services_.random.NextDouble() < services_.faults.wrong) Lie(outcome);
  if (services_.faults.absurd > 0 && services_.random.NextDouble() < services_.faults.absurd) {
    options_.trouble(lease.unit, Trouble::kOther);
    MakeAbsurd(outcome.announcement);
  }
  auto result = results_.Take(static_cast<int64_t>(outcome.bytes.size()));
  DL_CHECK(result.ok());
  std::ranges::copy(outcome.bytes, (*result)->data());
  computation->result = *std::move(result);
  services_.handle(executor::UnitFinished{lease.lease, lease.unit, {outcome.announcement}});
}

// Flips a random bit, as broken memory does: in the result, or in the announcement, which then has
// the right hash of the bytes.
void ExecutorSlots::Lie(Outcome& outcome) {
  rpc::AnnounceRequest& said = outcome.announcement;
  switch (services_.random.Bounded(3)) {
    case 0:
      said.example_hash_sum ^= 1 + services_.random.Bounded(1 << 20);
      break;
    case 1: {
      Json metrics = Json::parse(said.metrics);
      const int64_t sum = std::stoll(metrics["loss_sum"].get<std::string>());
      metrics["loss_sum"] =
          absl::StrCat(sum ^ static_cast<int64_t>(1 + services_.random.Bounded(1 << 20)));
      said.metrics = metrics.dump();
      break;
    }
    default:
      outcome.bytes[0] =
          outcome.bytes[0] * 0.5f + static_cast<float>(services_.random.NextDouble()) * 1e-3f;
      said.hash = Xxh3(BytesOf(outcome.bytes));
  }
}

// Sets a field to a value that the job does not allow, as broken memory or software might.
void ExecutorSlots::MakeAbsurd(rpc::AnnounceRequest& said) {
  Json metrics = Json::parse(said.metrics);
  switch (services_.random.Bounded(said.magnitudes.empty() ? 3 : 5)) {
    case 0:
      metrics["loss_sum"] = "60000000000000000000000000000000000000";
      break;
    case 1:
      metrics["classes"] = 7;
      break;
    case 2:
      said.examples += 1;
      break;
    case 3:
      said.magnitudes[0] = 1e77;
      break;
    default:
      said.magnitudes.push_back(1);
  }
  said.metrics = metrics.dump();
}

}  // namespace dl::sim
