#include "tests/sim/master_machine.h"

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "master/core/record_keys.h"
#include "master/step_times.h"

namespace dl::sim {

void MasterMachine::Start() {
  if (process) return;
  core_options.contract_grace = std::chrono::milliseconds(700);
  core_options.values_per_step = 1;  // adding results again takes many steps
  int64_t& starts = options_.report->master_starts;
  if (starts == 0) {
    // The choice of units that are computed twice also depends only on the schedule.
    storage::MetaBatch secret;
    secret.Put(master::keys::kSecret, absl::StrCat(options_.seed + 1));
    if (!options_.disk->meta.Write(secret).ok())
      return options_.breach("the disk refused its first write");
  }
  ++starts;
  started = options_.time->now();
  process =
      MasterProcess::Start({.time = options_.time,
                            .scheduler = options_.scheduler,
                            .disk = options_.disk,
                            .rules = options_.rules,
                            .seed = options_.seed * 1000 + static_cast<uint64_t>(starts),
                            .core = core_options,
                            .bounds = bounds,
                            .kept = kept,
                            .death_at_write = death_at_write,
                            .slow_write = slow_write,
                            .died = [this] { KillAndStart(std::chrono::milliseconds(500)); },
                            .stopped =
                                [this] {
                                  ++options_.report->shutdowns;
                                  KillAndStart(away_);
                                },
                            .stepped = [this](const master::Event& event,
                                              Duration computed) { CountStep(event, computed); },
                            .breach = options_.breach});
}

// Waits until no function of the process is on the stack.
void MasterMachine::KillAndStart(Duration away) {
  options_.time->After({}, [this] { Kill(); });
  options_.time->After(away, [this] { Start(); });
}

void MasterMachine::CountStep(const master::Event& event, Duration computed) {
  ++steps_;
  if (computed > limits::kLongStep)
    options_.report->long_steps[steps_] = std::string(master::KindOf(event));
}

void MasterMachine::Kill() {
  if (!process) return;
  options_.ends();
  if (process->ahead_of_log()) ++options_.report->taken_back;
  process.reset();
  options_.disk->meta.Crash();
}

void MasterMachine::ShutDown(Duration away) {
  if (!process) return;
  constexpr Duration kLimit = std::chrono::seconds(60);
  away_ = away;
  process->ShutDown();
  options_.time->After(kLimit, [this, start = options_.report->master_starts] {
    if (process && options_.report->master_starts == start)
      options_.breach("a master that was told to stop goes on");
  });
}

}  // namespace dl::sim
