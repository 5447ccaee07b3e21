#include "tests/sim/faulty_computer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/value_histogram.h"
#include "job/measured_unit.h"

namespace dl::sim {

StatusOr<executor::UnitResult> FaultyComputer::Run(
    const std::shared_ptr<const executor::JobContext>& job, const UnitId& unit, const Base& base,
    const UnitId*) {
  not_finite_ = false;
  began_ = ends_ = {};
  const ExecutorFaults& faults = services_.faults;
  if (Happens(faults.hanging)) {
    options_.trouble(unit, Trouble::kHung);
    return NeverReturn();
  }
  if (!PassTime()) return Cancelled({.message = "the unit is no longer wanted"});
  const SimJob& described = services_.disk->jobs.at(job->id);
  const bool train = unit.kind == UnitKind::kTrain;
  const SimJob::Fate fate = described.Befalls(unit) ? described.fate : SimJob::Fate::kNone;
  if (fate == SimJob::Fate::kCrash || Happens(faults.crashing)) {
    options_.crash(services_.random.Bounded(4) != 0);
    return NeverReturn();
  }
  if (Happens(faults.killed)) {
    options_.killed(unit);
    return NeverReturn();
  }
  if (fate == SimJob::Fate::kNotFinite || (train && Happens(faults.not_finite))) {
    options_.trouble(unit, Trouble::kNotFinite);
    not_finite_ = true;
    return InvalidArgument({.message = "a loss is no number (planted)", .where = "loss"});
  }
  if (Happens(faults.failing)) {
    options_.trouble(unit, Trouble::kOther);
    return Internal({.message = "a kernel failed (planted)", .where = "layer 1"});
  }
  return Compute(described, unit, base);
}

void FaultyComputer::Cancel() {
  cancelled_ = true;
  // The thread notices the end of its unit after a step.
  if (thread_ != nullptr)
    thread_->RunAfter(std::chrono::milliseconds(services_.random.Bounded(100)));
}

int64_t FaultyComputer::steps_done() const {
  if (began_ == Instant{}) return 0;
  const Instant now = std::min(services_.process.now(), ends_);
  return kSteps * (now - began_) / (ends_ - began_);
}

Status FaultyComputer::NeverReturn() {
  VirtualThread::Current().WaitUntil([] { return false; });
  return Cancelled({.message = "the process ends"});
}

bool FaultyComputer::PassTime() {
  const auto longest_us = static_cast<uint64_t>(options_.unit_time / std::chrono::microseconds(1));
  const Duration time = std::chrono::microseconds(1000 + services_.random.Bounded(longest_us));
  began_ = services_.process.now();
  ends_ = began_ + time;
  thread_ = &VirtualThread::Current();
  if (!cancelled_) thread_->RunAfter(time);
  thread_->WaitUntil([this] { return cancelled_ || services_.process.now() >= ends_; });
  const bool ended = thread_->process().ended();
  thread_ = nullptr;
  return !cancelled_ && !ended;
}

StatusOr<executor::UnitResult> FaultyComputer::Compute(const SimJob& job, const UnitId& unit,
                                                       const Base& base) {
  const rpc::Lease& lease = options_.lease();
  UnitStart start{.base_sha256 = lease.base_sha256,
                  .contract = lease.expected_contract,
                  .earlier_updates = base.earlier_updates,
                  .plateaus = base.plateaus};
  for (const auto& [name, part] : base.parts) {
    const std::span<const float> values = part->span();
    start.base.emplace(name, Vector(values.begin(), values.end()));
  }
  Computed computed = ComputeUnit(job, unit, start);
  executor::UnitResult result{.examples = computed.examples,
                              .steps = computed.steps,
                              .example_hash_sum = computed.example_hash_sum,
                              .metrics = std::move(computed.metrics)};
  if (unit.kind != UnitKind::kTrain) return result;
  if (job::MeasuresActivations(job.histograms_every, unit)) {
    const std::vector<LayerHistogram> outputs = {
        {.layer = "w",
         .values = {.buckets = {{.index = -3, .count = 1}, {.index = 5, .count = 2}}}}};
    result.activations = EncodeHistograms(outputs);
  }
  DL_ASSIGN_OR_RETURN(result.state, results_.Take(static_cast<int64_t>(computed.bytes.size())));
  std::ranges::copy(computed.bytes, result.state->data());
  return result;
}

void FaultyMemory::Alter(executor::UnitFinished& finished) {
  const ExecutorFaults& faults = services_.faults;
  const auto happens = [this](double probability) {
    return probability > 0 && services_.random.NextDouble() < probability;
  };
  if (finished.unit.kind == UnitKind::kTrain && happens(faults.wrong)) Lie(finished);
  if (!happens(faults.absurd)) return;
  trouble_(finished.unit, Trouble::kOther);
  MakeAbsurd(finished.outcome.announcement);
}

// Flips a random bit: in the result, whose new hash is announced, or in the announcement.
void FaultyMemory::Lie(executor::UnitFinished& finished) {
  rpc::AnnounceRequest& said = finished.outcome.announcement;
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
    default: {
      const auto computation = services_.computations.Find(finished.lease);
      if (computation == nullptr) return;  // aborted meanwhile
      const std::span<float> bytes = computation->result->span();
      bytes[0] = bytes[0] * 0.5f + static_cast<float>(services_.random.NextDouble()) * 1e-3f;
      said.hash = Xxh3(std::as_bytes(bytes));
    }
  }
}

// Sets a field to a value that the job does not allow.
void FaultyMemory::MakeAbsurd(rpc::AnnounceRequest& said) {
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
