// The machine of the master, on which its processes run one after another with one disk.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tests/sim/disk.h"
#include "tests/sim/rules.h"
#include "tests/sim/schedule_report.h"
#include "tests/sim/sim_master_process.h"
#include "tests/sim/virtual_time.h"

namespace dl::sim {

class MasterMachine {
 public:
  struct Options {
    VirtualTime* time = nullptr;
    VirtualScheduler* scheduler = nullptr;
    Disk* disk = nullptr;
    Rules* rules = nullptr;
    ScheduleReport* report = nullptr;
    uint64_t seed = 0;
    std::function<void()> ends;  // called when the current process is about to end
    std::function<void(std::string)> breach;
  };
  explicit MasterMachine(Options options) : options_(std::move(options)) {}

  // Options of the next process.
  master::CoreOptions core_options;
  master::ShellBounds bounds;
  master::RetentionPolicy kept;
  double death_at_write = 0;
  double slow_write = 0;

  std::unique_ptr<MasterProcess> process;  // null: not running
  Instant started;                         // start of the current process

  void Start();
  void Kill();
  // SIGTERM: the process ends when it is ready, and the next one starts `away` later.
  void ShutDown(Duration away);

 private:
  void KillAndStart(Duration away);
  void CountStep(const master::Event& event, Duration computed);

  Options options_;
  Duration away_{};    // time without a master after an orderly stop
  int64_t steps_ = 0;  // steps of all cores so far
};

}  // namespace dl::sim
