#include "tests/sim/executor_process.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/overloaded.h"

namespace dl::sim {

ExecutorProcess::ExecutorProcess(Options options)
    : options_(std::move(options)),
      shop_{.process = {options_.time, options_.network},
            .disk = options_.disk,
            .random = RandomStream({.seed = options_.seed, .a = 4, .b = options_.incarnation}),
            .faults = options_.faults,
            .handle = [this](const executor::Event& event) { Handle(event); }},
      control_(shop_, {.also_isa = options_.also_isa, .left = options_.left}),
      bulk_(shop_),
      slots_(shop_, {.unit_time = options_.unit_time,
                     .trouble = options_.trouble,
                     .killed = options_.killed,
                     .crash = [this](uint64_t lease) { Crash(lease); }}),
      core_({.name = options_.name,
             .incarnation = options_.incarnation,
             .slots = options_.slots,
             .contract = ContractOf(options_.isa),
             .isa = options_.isa,
             .unit_memory_bytes = options_.unit_memory,
             .labels = options_.labels,
             .crashed = options_.crashed},
            options_.time->now()) {
  shop_.process.Later({}, [this] { Handle(executor::Tick{}); });
}

void ExecutorProcess::Drain() {
  shop_.process.Post([this] { Handle(executor::DrainRequested{}); });
}

void ExecutorProcess::Stop() {
  shop_.process.Post([this] { Handle(executor::StopRequested{}); });
}

void ExecutorProcess::Crash(uint64_t culprit) {
  if (shop_.process.ended()) return;
  std::vector<rpc::CrashedUnit> note = slots_.NoteOf(culprit);
  for (const rpc::CrashedUnit& crashed : note) options_.trouble(crashed.unit, Trouble::kOther);
  End(std::move(note));
}

void ExecutorProcess::End(std::vector<rpc::CrashedUnit> note) {
  shop_.process.End();
  options_.ended(std::move(note));
}

void ExecutorProcess::Handle(const executor::Event& event) {
  for (const executor::Effect& effect : core_.Step(event, shop_.process.now())) Do(effect);
  SetTimer();
}

void ExecutorProcess::Do(const executor::Effect& effect) {
  std::visit(Overloaded{
                 [this](const executor::RunUnit& e) { slots_.Do(e); },
                 [this](const executor::AbortUnit& e) { slots_.Do(e); },
                 [this](const executor::SendContribution& e) { bulk_.Do(e); },
                 [this](const executor::HoldResult& e) { bulk_.Do(e); },
                 [this](const executor::SendGather& e) { bulk_.Do(e); },
                 [this](const executor::DropResult& e) { bulk_.Do(e); },
                 [this](const executor::OfferPart& e) { bulk_.Do(e); },
                 [this](const executor::StartAnew&) { options_.start_anew(); },
                 [this](const executor::Exit&) { End({}); },
                 [](const executor::Joined&) {},
                 [](const executor::Waits&) {},
                 [](const executor::Refused&) {},
                 [](const executor::Warn&) {},
                 [this](const auto& call) { control_.Do(call); },
             },
             effect);
}

void ExecutorProcess::SetTimer() {
  const Instant now = shop_.process.now();
  const Instant next = core_.NextDeadline();
  if (next == Instant::Max() || (timer_ <= next && timer_ > now)) return;
  timer_ = std::max(next, now);
  shop_.process.Later(timer_ - now, [this, at = timer_] {
    if (timer_ != at) return;
    timer_ = Instant::Max();
    Handle(executor::Tick{});
  });
}

}  // namespace dl::sim
