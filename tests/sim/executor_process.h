// An executor's shell in virtual time around the shipped core, slots and lanes. It computes units
// without kernels and calls the master over the simulated network.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/work_queue.h"
#include "executor/bulk_lane.h"
#include "executor/compute_threads.h"
#include "executor/control_lanes.h"
#include "executor/core/executor_core.h"
#include "tests/sim/executor_connection.h"
#include "tests/sim/executor_services_under_test.h"
#include "tests/sim/faulty_computer.h"
#include "tests/sim/virtual_scheduler.h"
#include "tests/sim/virtual_thread.h"

namespace dl::sim {

class ExecutorProcess {
 public:
  struct Options {
    VirtualTime* time = nullptr;
    VirtualScheduler* scheduler = nullptr;
    Network* network = nullptr;
    Disk* disk = nullptr;
    uint64_t seed = 0;
    std::string name;
    security::Identity caller;                              // identity of its token
    std::function<void(const std::string& field)> altered;  // called when a lie was sent
    uint64_t incarnation = 1;
    int32_t slots = 1;
    std::string isa = "avx2";
    std::string also_isa;
    bool has_portable = true;
    std::vector<rpc::CrashedUnit> crashed;  // crash note of the previous process
    int64_t unit_memory = 0;                // 0: not stated
    std::vector<std::string> labels;
    Duration unit_time = std::chrono::milliseconds(100);
    int64_t chunk_bytes = limits::kChunkBytes;  // size of chunks of contributions
    int64_t cut_after = 0;                      // as ExecutorConnection's
    ExecutorFaults faults;
    std::function<void(const UnitId&, Trouble)> trouble;
    std::function<void(const UnitId&)> killed;  // a unit ends the process by SIGKILL
    std::function<void(const master::Core&, uint64_t session)> left;
    // The process has ended, by itself or by a signal, and left this note. It must be destroyed,
    // but not within the call.
    std::function<void(std::vector<rpc::CrashedUnit>)> ended;
    std::function<void()> restart;  // replaces this process by another one
  };
  explicit ExecutorProcess(Options options);
  ~ExecutorProcess() { threads_.End(); }
  // Destruction is a SIGKILL.

  void Pause() { services_.process.Pause(); }
  void Continue() { services_.process.Continue(); }
  void CutOff(bool cut) { services_.process.CutOff(cut); }
  void SetFaults(const ExecutorFaults& faults) { services_.faults = faults; }
  void Drain();  // SIGTERM
  void Stop();   // a second SIGTERM
  // A fatal signal in the thread of this slot, or in a thread that belongs to no slot.
  void Crash(std::optional<int32_t> culprit = {});
  bool paused() const { return services_.process.paused(); }
  bool cut_off() const { return services_.process.cut_off(); }
  uint64_t session() const { return core_.session(); }
  const std::string& name() const { return options_.name; }

 private:
  std::unique_ptr<WorkQueue> MakeQueue();
  executor::ControlLanes::Options ControlOptions();
  executor::BulkLane::Options BulkOptions();
  executor::ComputeThreads::Options ComputeOptions();
  std::unique_ptr<executor::UnitComputer> MakeComputer(int32_t slot);
  // Returns the job of the lease, which is read from the disk.
  StatusOr<std::shared_ptr<const executor::JobContext>> FindJob(const rpc::Lease& lease);
  // Returns the note that a process leaves after a signal: the culprit's unit, or all units that
  // are being computed.
  std::vector<rpc::CrashedUnit> NoteOf(std::optional<int32_t> culprit) const;
  // Posted to the agenda, so that the core is not entered from a thread's stack.
  void Post(executor::Event event);
  void Handle(const executor::Event& event);
  void Do(const executor::Effect& effect);
  void RecordStuck(const rpc::Gather& gather);
  Liar* NextLiar();
  // The executor lies about a sum: with another grid, the sum is different.
  void LieAboutSum(executor::SendGather& effect);
  void End(std::vector<rpc::CrashedUnit> note);
  void SetTimer();

  Options options_;
  ExecutorServicesUnderTest services_;
  ProcessThreads threads_;
  Liar liar_;
  ExecutorConnection connection_;
  executor::ChunkedExchange exchange_;
  std::map<int32_t, rpc::Lease> computing_;                                  // by slot
  std::map<std::string, std::shared_ptr<const executor::JobContext>> jobs_;  // shared with units
  FaultyMemory memory_;
  std::unique_ptr<executor::ComputeThreads> compute_;
  executor::ControlLanes control_;
  executor::BulkLane bulk_;
  executor::Core core_;
  Instant timer_ = Instant::Max();
};

}  // namespace dl::sim
