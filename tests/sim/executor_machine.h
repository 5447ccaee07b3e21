// A machine on which processes of an executor run one after another, with the machine's faults.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/executor_process.h"
#include "tests/sim/master_machine.h"
#include "tests/sim/rules.h"
#include "tests/sim/schedule_report.h"
#include "tests/sim/sim_network.h"

namespace dl::sim {

struct ExecutorSetup {
  int32_t slots = 1;
  int64_t unit_memory = 0;
  std::vector<std::string> labels;
  std::string isa = "avx2";
  std::string also_isa;
  bool has_portable = true;  // false: a version without portable kernels
  Duration unit_time = std::chrono::milliseconds(100);
  int64_t chunk_bytes = limits::kChunkBytes;
  int64_t cut_after = 0;       // as in ExecutorConnection, also in peace
  bool has_name_alone = true;  // has a token for its name that no other executor may use
  ExecutorFaults faults;
  bool incurable = false;  // the faults remain in peace
};

class ExecutorMachine {
 public:
  struct Options {
    VirtualTime* time = nullptr;
    VirtualScheduler* scheduler = nullptr;
    Network* network = nullptr;
    MasterMachine* master = nullptr;
    Disk* disk = nullptr;
    Rules* rules = nullptr;
    ScheduleReport* report = nullptr;
    RandomStream* pauses = nullptr;  // shared by all machines
    uint64_t seed = 0;
    std::string name;
    std::function<void(std::string)> breach;
  };
  ExecutorMachine(Options options, ExecutorSetup setup);

  const std::string& name() const { return options_.name; }
  ExecutorProcess* process() const { return process_.get(); }  // null if not running
  void Start();
  // SIGKILL. The master's connection closes, unless the machine is lost as well.
  void Kill(bool connection_closes = true);
  // SIGTERM, repeated if the first is not enough. Another process is started afterwards.
  void LetLeave(Duration limit);
  // Ends the faults unless the machine is incurable: the current and later processes neither give
  // wrong results nor fail. Deliveries still get stuck, but less often, and a flood continues.
  // REQUIRES: a process is running.
  void Heal();
  // Sets permanent faults. REQUIRES: no process has run here.
  void Ruin(const ExecutorFaults& faults);
  // Whether the current process was started at least `time` ago, is neither stopped nor cut off
  // now, and suits the job: kernel contract, memory and labels. False for an incurable machine.
  bool IsAbleFor(const master::Job& job, Duration time) const;

 private:
  void Ended(std::vector<rpc::CrashedUnit> note);
  void KilledAt(const UnitId& unit);
  // Runs the action after `wait`, unless another process has replaced the current one.
  void WithThisOne(Duration wait, std::function<void(ExecutorProcess&)> action);

  Options options_;
  ExecutorSetup setup_;
  security::Identity caller_;
  uint64_t incarnation_ = 0;
  Instant started_;
  std::vector<rpc::CrashedUnit> note_;  // crash note in the executor's folder
  std::unique_ptr<ExecutorProcess> process_;
};

}  // namespace dl::sim
