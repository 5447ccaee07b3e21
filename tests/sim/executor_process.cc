#include "tests/sim/executor_process.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "averaging/grid.h"
#include "base/overloaded.h"
#include "tests/sim/virtual_work_queue.h"

namespace dl::sim {
namespace {

constexpr int64_t kPartCacheBytes = 600;  // a few parts with a few numbers each

std::vector<rpc::OfferedContract> OfferedBy(const ExecutorProcess::Options& options) {
  std::vector<rpc::OfferedContract> offered = {{ContractOf(options.isa), options.isa}};
  if (!options.also_isa.empty())
    offered.push_back({ContractOf(options.also_isa), options.also_isa});
  if (options.has_portable) offered.push_back({nn::PortableContract(), ""});
  return offered;
}

std::set<std::string> ContractsOf(const ExecutorProcess::Options& options) {
  std::set<std::string> contracts;
  for (const rpc::OfferedContract& offered : OfferedBy(options)) contracts.insert(offered.contract);
  return contracts;
}

}  // namespace

ExecutorProcess::ExecutorProcess(Options options)
    : options_(std::move(options)),
      services_{.process = {options_.time, options_.network},
                .disk = options_.disk,
                .random = RandomStream({.seed = options_.seed, .a = 4, .b = options_.incarnation}),
                .faults = options_.faults},
      threads_(
          {.later = [this](Duration wait,
                           std::function<void()> action) { services_.process.Later(wait, action); },
           .delay = [this]() -> Duration {
             return std::chrono::microseconds(services_.random.Bounded(200));
           }}),
      liar_({.random = RandomStream({.seed = options_.seed, .a = 24, .b = options_.incarnation}),
             .field = options_.faults.lies.field,
             .spared = options_.faults.lies.spared,
             .altered = options_.altered}),
      connection_(
          {.process = &services_.process,
           .network = options_.network,
           .random = RandomStream({.seed = options_.seed, .a = 21, .b = options_.incarnation}),
           .executor = options_.name,
           .caller = {options_.caller, absl::StrCat(options_.name, "/", options_.incarnation)},
           .next_liar = [this] { return NextLiar(); },
           .flood = options_.faults.flood,
           .cut_after = options_.cut_after,
           .left = options_.left}),
      exchange_(connection_, kPartCacheBytes, options_.chunk_bytes),
      memory_(services_, options_.trouble),
      control_(ControlOptions()),
      bulk_(BulkOptions()),
      core_({.name = options_.name,
             .incarnation = options_.incarnation,
             .slots = options_.slots,
             .contracts = OfferedBy(options_),
             .unit_memory_bytes = options_.unit_memory,
             .labels = options_.labels,
             .crashed = options_.crashed},
            options_.time->now()) {
  {
    const VirtualScheduler::InProcess in_process(*options_.scheduler, threads_);
    compute_ = std::make_unique<executor::ComputeThreads>(ComputeOptions());
  }
  services_.process.Later({}, [this] { Handle(executor::Tick{}); });
}

std::unique_ptr<WorkQueue> ExecutorProcess::MakeQueue() {
  return std::make_unique<VirtualWorkQueue>(
      VirtualWorkQueue::Options{.process = &threads_, .takes = [this]() -> Duration {
                                  return std::chrono::microseconds(services_.random.Bounded(1000));
                                }});
}

Liar* ExecutorProcess::NextLiar() {
  const double share = services_.faults.lies.share;
  return share > 0 && services_.random.NextDouble() < share ? &liar_ : nullptr;
}

void ExecutorProcess::Post(executor::Event event) {
  services_.process.Later({}, [this, event = std::move(event)] { Handle(event); });
}

executor::ControlLanes::Options ExecutorProcess::ControlOptions() {
  return {.master = connection_,
          .post = [this](executor::Event event) { Post(std::move(event)); },
          .add_caches =
              [this](rpc::RegisterRequest& request) { request.held_parts = exchange_.Held(); },
          .add_progress =
              [this](const std::vector<uint64_t>& computations, rpc::HeartbeatRequest& request) {
                for (size_t i = 0; i < request.running.size(); ++i)
                  compute_->Describe(computations[i], request.running[i]);
              },
          .make_queue = [this](const std::string&) { return MakeQueue(); }};
}

executor::BulkLane::Options ExecutorProcess::BulkOptions() {
  return {.master = connection_,
          .exchange = exchange_,
          .computations = services_.computations,
          .post = [this](executor::Event event) { Post(std::move(event)); },
          .layout = [this](const rpc::Gather& gather,
                           uint64_t) -> StatusOr<std::shared_ptr<const averaging::StateLayout>> {
            const auto strategy = MakeStrategy(options_.disk->jobs.at(gather.job));
            return std::shared_ptr<const averaging::StateLayout>(strategy, &strategy->layout());
          },
          .chunk_bytes = options_.chunk_bytes,
          .make_queue = [this](const std::string&) { return MakeQueue(); }};
}

executor::ComputeThreads::Options ExecutorProcess::ComputeOptions() {
  return {.executor = options_.name,
          .slots = options_.slots,
          .contracts = ContractsOf(options_),
          .exchange = exchange_,
          .computations = services_.computations,
          .post =
              [this](executor::Event event) {
                auto* const finished = std::get_if<executor::UnitFinished>(&event);
                if (finished != nullptr) memory_.Alter(*finished);
                Post(std::move(event));
              },
          .find_job = [this](const rpc::Lease& lease, uint64_t) { return FindJob(lease); },
          .make_computer = [this](int32_t slot) { return MakeComputer(slot); },
          .fetched_bytes = [] { return int64_t{0}; },
          .began = [this](int32_t slot, const rpc::Lease& lease) { computing_[slot] = lease; },
          .ended = [this](int32_t slot) { computing_.erase(slot); }};
}

std::unique_ptr<executor::UnitComputer> ExecutorProcess::MakeComputer(int32_t slot) {
  return std::make_unique<FaultyComputer>(
      services_,
      FaultyComputer::Options{
          .unit_time = options_.unit_time,
          .lease = [this, slot]() -> const rpc::Lease& { return computing_.at(slot); },
          .trouble = options_.trouble,
          .killed = options_.killed,
          .crash = [this, slot](bool own) { Crash(own ? std::optional(slot) : std::nullopt); }});
}

StatusOr<std::shared_ptr<const executor::JobContext>> ExecutorProcess::FindJob(
    const rpc::Lease& lease) {
  const bool suits = ContractsOf(options_).contains(lease.expected_contract);
  if (!suits) options_.trouble(lease.unit, Trouble::kOther);
  std::shared_ptr<const executor::JobContext>& known = jobs_[lease.unit.job];
  if (known == nullptr) {
    const SimJob& job = options_.disk->jobs.at(lease.unit.job);
    auto context = std::make_shared<executor::JobContext>();
    context->id = lease.unit.job;
    context->spec_sha256 = lease.spec_sha256;
    context->strategy = MakeStrategy(job);
    context->plan = job.plan;
    known = std::move(context);
  }
  return known;
}

std::vector<rpc::CrashedUnit> ExecutorProcess::NoteOf(std::optional<int32_t> culprit) const {
  std::vector<rpc::CrashedUnit> note;
  for (const auto& [slot, lease] : computing_) {
    if (culprit && *culprit != slot) continue;
    note.push_back({.unit = lease.unit,
                    .spec_sha256 = lease.spec_sha256,
                    .signal = "SIGSEGV",
                    .lease = lease.lease,
                    .ticket = lease.ticket});
  }
  return note;
}

void ExecutorProcess::Drain() {
  services_.process.Post([this] { Handle(executor::DrainRequested{}); });
}

void ExecutorProcess::Stop() {
  services_.process.Post([this] { Handle(executor::StopRequested{}); });
}

void ExecutorProcess::Crash(std::optional<int32_t> culprit) {
  if (services_.process.ended()) return;
  std::vector<rpc::CrashedUnit> note = NoteOf(culprit);
  for (const rpc::CrashedUnit& crashed : note) options_.trouble(crashed.unit, Trouble::kOther);
  End(std::move(note));
}

void ExecutorProcess::End(std::vector<rpc::CrashedUnit> note) {
  services_.process.End();
  options_.ended(std::move(note));
}

void ExecutorProcess::Handle(const executor::Event& event) {
  for (const executor::Effect& effect : core_.Step(event, services_.process.now())) Do(effect);
  SetTimer();
}

void ExecutorProcess::RecordStuck(const rpc::Gather& gather) {
  for (const rpc::GatherInput& input : gather.inputs) {
    options_.trouble({gather.job, UnitKind::kTrain, gather.round, input.index}, Trouble::kOther);
  }
}

void ExecutorProcess::Do(const executor::Effect& effect) {
  std::visit(Overloaded{
                 [this](const executor::RunUnit& e) { compute_->Do(e, core_.session()); },
                 [this](const executor::AbortUnit& e) { compute_->Do(e); },
                 [this](const executor::SendContribution& e) { bulk_.Do(e); },
                 [this](const executor::HoldResult& e) { bulk_.Do(e); },
                 [this](executor::SendGather e) {
                   if (services_.faults.stuck_gathers > 0 &&
                       services_.random.NextDouble() < services_.faults.stuck_gathers)
                     return RecordStuck(e.gather);
                   if (services_.random.NextDouble() < services_.faults.wrong_sums) LieAboutSum(e);
                   bulk_.Do(e);
                 },
                 [this](const executor::DropResult& e) { bulk_.Do(e); },
                 [this](const executor::OfferPart& e) { bulk_.Do(e); },
                 [this](const executor::Restart&) { options_.restart(); },
                 [this](const executor::Exit&) { End({}); },
                 [](const executor::Joined&) {},
                 [](const executor::Waits&) {},
                 [this](const executor::Refused&) { End({}); },
                 [](const executor::Warn&) {},
                 [this](const auto& call) { control_.Do(call); },
             },
             effect);
}

void ExecutorProcess::LieAboutSum(executor::SendGather& effect) {
  if (!effect.gather.sum) return;
  for (auto& exponent : effect.gather.exponents) {
    if (exponent == averaging::kZeroSegment) continue;
    ++exponent;
    return;
  }
}

void ExecutorProcess::SetTimer() {
  const Instant now = services_.process.now();
  const Instant next = core_.NextDeadline();
  if (next == Instant::Max() || (timer_ <= next && timer_ > now)) return;
  timer_ = std::max(next, now);
  services_.process.Later(timer_ - now, [this, at = timer_] {
    if (timer_ != at) return;
    timer_ = Instant::Max();
    Handle(executor::Tick{});
  });
}

}  // namespace dl::sim
