#include "master/gateway/core_shell.h"

#include <deque>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/trace.h"

namespace dl::master {

CoreShell::CoreShell(Options options)
    : options_(std::move(options)),
      writer_({.meta = options_.meta,
               .bounds = options_.bounds,
               .release = [this](std::vector<Effect>& effects) { release_(effects); },
               .ready_to_stop = [this] { pending_requests_.Close(); },
               .failed =
                   [this](const Status& status) {
                     events_.Close();
                     pending_requests_.Close();
                     options_.on_fatal(status);
                   }}) {}

void CoreShell::Start(RecoveredState recovered, std::function<void(std::vector<Effect>&)> release) {
  recovered_ = std::move(recovered);
  release_ = std::move(release);
  thread_ = Thread("core", [this, now = Clock::Real().Now()] { Run(now); });
}

void CoreShell::Stop() {
  events_.Close();
  pending_requests_.Close();
  writer_.Stop();
  thread_.Join();
}

void CoreShell::Shutdown(Duration limit) {
  if (shut_down_.exchange(true)) return;
  Post(ShutdownRequested{});
  pending_requests_.WaitForClose(limit);
}

void CoreShell::Run(Instant began) {
  Output output;
  Core core(options_.core, std::move(recovered_), began, output);
  if (options_.observer != nullptr) options_.observer->Began(core, output);
  std::deque<Arrival> drained;
  for (;;) {
    writer_.HandOver(output, core.ReadyToStop());
    output = {};
    if (drained.empty()) {
      auto events = events_.Take(core.NextDeadline());
      if (!events) return;
      drained = *std::move(events);
    }
    // Events whose records exceed the size of a batch wait for the next batch.
    const std::optional<uint64_t> room = writer_.WaitForRoom();
    if (!room) return;
    while (!drained.empty() && output.batch.bytes() < *room) {
      Step(core, drained.front(), output);
      drained.pop_front();
    }
  }
}

void CoreShell::Step(Core& core, const Arrival& arrival, Output& output) {
  const Span span(spans::kCore);
  if (options_.observer != nullptr) options_.observer->BeforeStep(arrival, output);
  const Duration before = ThreadTime();
  const Instant now = Clock::Real().Now();
  core.Step(arrival.event,
            {.now = now, .came = arrival.at, .wall_unix_ms = Clock::Real().WallUnixMs()}, output);
  const Duration computed = ThreadTime() - before;
  if (options_.observer != nullptr) options_.observer->AfterStep(arrival.event, output, computed);
  if (step_times_.Record(arrival.event, computed, now)) {
    options_.log->Write(absl::StrCat("all calls waited for the master while it took ",
                                     Seconds(computed), " s for one ",
                                     std::string(KindOf(arrival.event))));
  }
}

}  // namespace dl::master
