#include "executor/executor.h"

#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/overloaded.h"
#include "base/trace.h"
#include "executor/unit_runner.h"

namespace dl::executor {

Executor::Executor(ExecutorOptions options)
    : services_(std::move(options)),
      engine_memory_(services_.options.core.unit_memory_bytes > 0
                         ? services_.options.core.unit_memory_bytes
                         : std::numeric_limits<int64_t>::max()) {
  core_thread_ = Thread("executor", [this] { RunCore(); });
}

ControlLanes::Options Executor::ControlOptions() {
  return {.master = services_.master,
          .post = [this](Event event) { services_.events.Post(std::move(event)); },
          .add_caches =
              [this](rpc::RegisterRequest& request) {
                request.held_parts = services_.exchange.Held();
                request.retries.states += services_.chunks.pieces_again();
              },
          .add_progress =
              [this](const std::vector<uint64_t>& computations, rpc::HeartbeatRequest& request) {
                for (size_t i = 0; i < request.running.size(); ++i)
                  compute_.Describe(computations[i], request.running[i]);
                request.blocks_cached_bytes = services_.blocks.cached_bytes();
                request.blocks_fetched_bytes = services_.blocks.fetched_bytes();
                request.blocks_read_bytes = services_.decoded->stats().bytes_read;
                request.retries.states += services_.chunks.pieces_again();
                const auto& on_progress = services_.options.on_progress;
                if (on_progress) on_progress(request.running);
              }};
}

BulkLane::Options Executor::BulkOptions() {
  return {.master = services_.master,
          .exchange = services_.exchange,
          .computations = services_.computations,
          .post = [this](Event event) { services_.events.Post(std::move(event)); },
          .layout = [this](const rpc::Gather& gather, uint64_t session)
              -> StatusOr<std::shared_ptr<const averaging::StateLayout>> {
            DL_ASSIGN_OR_RETURN(const std::shared_ptr<const JobContext> job,
                                services_.jobs.Get(gather.job, gather.spec_sha256, session));
            return std::shared_ptr<const averaging::StateLayout>(job, &job->layout());
          },
          .held = services_.options.held};
}

ComputeThreads::Options Executor::ComputeOptions() {
  const ExecutorOptions& options = services_.options;
  std::set<std::string> contracts;
  for (const rpc::OfferedContract& offered : options.core.contracts)
    contracts.insert(offered.contract);
  return {.executor = options.core.name,
          .slots = options.core.slots,
          .contracts = std::move(contracts),
          .exchange = services_.exchange,
          .computations = services_.computations,
          .post = [this](Event event) { services_.events.Post(std::move(event)); },
          .find_job =
              [this](const rpc::Lease& lease, uint64_t session) {
                return services_.jobs.Get(lease.unit.job, lease.spec_sha256, session);
              },
          .make_computer =
              [this](int32_t) {
                return std::make_unique<UnitRunner>(JobEngines::Bounds{.shared = &engine_memory_});
              },
          .fetched_bytes = [this] { return services_.blocks.fetched_bytes(); },
          .began =
              [note = options.crash_note, &on_began = options.on_began](int32_t slot,
                                                                        const rpc::Lease& lease) {
                if (note != nullptr) note->Begin(slot, lease);
                if (on_began) on_began(slot, lease);
              },
          .ended =
              [note = options.crash_note, &on_ended = options.on_ended](int32_t slot) {
                if (note != nullptr) note->End(slot);
                if (on_ended) on_ended(slot);
              }};
}

Executor::~Executor() {
  services_.events.Close();
  core_thread_.Join();
  compute_.CancelAll();
}

bool Executor::CancelUnits(Duration limit) {
  compute_.CancelAll();
  return compute_.WaitUntilIdle(limit);
}

void Executor::Drain() { services_.events.Post(DrainRequested{}); }

void Executor::Leave(Duration limit) {
  services_.events.Post(StopRequested{});
  (void)WaitUntilLeft(limit);
}

bool Executor::WaitUntilLeft(Duration limit) {
  const Instant deadline = Clock::Real().Now() + limit;
  MutexLock lock(mutex_);
  while (!exited_) {
    const Duration left = deadline - Clock::Real().Now();
    if (left <= Duration::zero()) return false;
    ended_.WaitFor(mutex_, left);
  }
  return true;
}

void Executor::RunCore() {
  Clock& clock = Clock::Real();
  Core core(services_.options.core, clock.Now());
  std::optional<std::vector<Event>> events{{Tick{}}};
  while (events) {
    for (const Event& event : *events) {
      const Span span(spans::kDecide);
      const std::vector<Effect> effects = core.Step(event, clock.Now());
      services_.blocks.UseSession(core.session());
      for (const Effect& effect : effects) Do(effect, core.session());
    }
    events = services_.events.Take(core.NextDeadline());
  }
}

void Executor::Do(const Effect& effect, uint64_t session) {
  const ExecutorOptions& options = services_.options;
  std::visit(Overloaded{
                 [&](const SendRegister& e) { control_.Do(e); },
                 [&](const SendHeartbeat& e) { control_.Do(e); },
                 [&](const SendLease& e) { control_.Do(e); },
                 [&](const SendAnnounce& e) { control_.Do(e); },
                 [&](const SendFailure& e) { control_.Do(e); },
                 [&](const SendGoodbye& e) { control_.Do(e); },
                 [&](const SendContribution& e) { bulk_.Do(e); },
                 [&](const HoldResult& e) { bulk_.Do(e); },
                 [&](const SendGather& e) { bulk_.Do(e); },
                 [&](const DropResult& e) { bulk_.Do(e); },
                 [&](const OfferPart& e) { bulk_.Do(e); },
                 [&](const RunUnit& e) { compute_.Do(e, session); },
                 [&](const AbortUnit& e) { compute_.Do(e); },
                 [&](const Joined&) {
                   if (options.on_joined) options.on_joined();
                 },
                 [&](const Waits& e) { Report(e); },
                 [&](const Refused& e) {
                   if (options.on_refused) options.on_refused(e.why);
                   End();
                 },
                 [&](const Restart& e) { Report(e); },
                 [&](const Warn& e) { LogWarning(e.message); },
                 [&](const Exit&) {
                   End();
                   if (options.on_left) options.on_left();
                 },
             },
             effect);
}

void Executor::Report(const Waits& effect) const {
  if (services_.options.on_waiting) return services_.options.on_waiting(effect.why);
  LogWarning("cannot register with the master, will try again: ", DescribeError(effect.why));
}

void Executor::Report(const Restart& effect) const {
  if (services_.options.on_restart) return services_.options.on_restart(effect.why);
  LogWarning("this executor needs a restart, which is not possible inside the master's process: ",
             effect.why);
}

void Executor::End() {
  MutexLock lock(mutex_);
  exited_ = true;
  ended_.NotifyAll();
}

}  // namespace dl::executor
