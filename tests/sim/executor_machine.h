// Where an executor runs: one process after the other, with what is wrong with the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/executor_process.h"
#include "tests/sim/master_machine.h"
#include "tests/sim/network.h"
#include "tests/sim/rules.h"
#include "tests/sim/schedule_report.h"

namespace dl::sim {

struct ExecutorSetup {
  int32_t slots = 1;
  int64_t unit_memory = 0;
  std::vector<std::string> labels;
  std::string isa = "avx2";
  std::string also_isa;
  Duration unit_time = std::chrono::milliseconds(100);
  int64_t chunk_bytes = limits::kChunkBytes;
  int64_t cut_after = 0;       // as ExecutorConnection's, also in peace
  bool has_name_alone = true;  // a token for its name, which no other executor may use then
  ExecutorFaults faults;
  bool incurable = false;  // the faults stay when there is peace
};

class ExecutorMachine {
 public:
  struct Options {
    VirtualTime* time = nullptr;
    Network* network = nullptr;
    MasterMachine* master = nullptr;
    Disk* disk = nullptr;
    Rules* rules = nullptr;
    ScheduleReport* report = nullptr;
    RandomStream* pauses = nullptr;  // of all machines
    uint64_t seed = 0;
    std::string name;
    std::function<void(std::string)> breach;
  };
  ExecutorMachine(Options options, ExecutorSetup setup);

  const std::string& name() const { return options_.name; }
  ExecutorProcess* process() const { return process_.get(); }  // null: not running
  void Start();
  // SIGKILL. Unless the machine is gone with it, the master's connection closes.
  void Kill(bool connection_closes = true);
  // SIGTERM, and once more when that is not enough. Another one comes in its place.
  void LetLeave(Duration limit);
  // Unless the machine is incurable, neither the process that runs nor one that is started in its
  // place gives wrong results or fails. Deliveries still get stuck, less often.
  void Heal();
  // It has these faults from now on, and for good. REQUIRES: no process has run here.
  void Ruin(const ExecutorFaults& faults);
  // A process has run here for so long, without being stopped or cut off, and neither its faults
  // nor what it offers keep it from units of the job.
  bool IsAbleFor(const master::Job& job, Duration time) const;

 private:
  void Ended(std::vector<rpc::CrashedUnit> note);
  void KilledAt(const UnitId& unit);
  // Unless another process has taken its place by then.
  void WithThisOne(Duration wait, std::function<void(ExecutorProcess&)> action);

  Options options_;
  ExecutorSetup setup_;
  security::Identity caller_;
  uint64_t incarnation_ = 0;
  Instant started_;
  std::vector<rpc::CrashedUnit> note_;  // in its folder
  std::unique_ptr<ExecutorProcess> process_;
};

}  // namespace dl::sim
