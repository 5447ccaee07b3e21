// The slots of a simulated executor. Units are computed without kernels, each in its own time, with
// the faults of the machine.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/float_buffer_pool.h"
#include "base/work_queue.h"
#include "executor/core/executor_events.h"
#include "tests/sim/executor_workshop.h"
#include "tests/sim/failure_rules.h"

namespace dl::sim {

class ExecutorSlots {
 public:
  struct Options {
    std::set<std::string> contracts;                      // contracts of the executor
    Duration unit_time = std::chrono::milliseconds(100);  // maximum duration of a unit
    std::function<void(const UnitId&, Trouble)> trouble;
    std::function<void(const UnitId&)> killed;
    // A fatal signal in the thread that computes for that lease; 0: in another thread.
    std::function<void(uint64_t lease)> crash;
    MakeWorkQueue make_queue;
  };
  ExecutorSlots(ExecutorServicesUnderTest& services, Options options)
      : services_(services),
        options_(std::move(options)),
        fetching_(options_.make_queue("fetch")) {}

  void Do(const executor::RunUnit& effect, uint64_t session);
  void Do(const executor::AbortUnit& effect);
  // Sets the progress of the computation's unit.
  void Describe(uint64_t lease, rpc::UnitProgress& progress) const;
  // Returns the note that a process leaves after a signal: the culprit's unit, or all units that
  // are being computed.
  std::vector<rpc::CrashedUnit> NoteOf(uint64_t culprit) const;

 private:
  const SimJob& JobOf(const UnitId& unit) const;
  // Waits for the parts that the lease names.
  StatusOr<Base> Fetch(const rpc::Lease& lease, uint64_t session);
  void ComputeUnit(const rpc::Lease& lease, const Base& base);
  void EndUnit(const rpc::Lease& lease, const Base& base);
  void Lie(Outcome& outcome);
  void MakeAbsurd(rpc::AnnounceRequest& said);

  ExecutorServicesUnderTest& services_;
  Options options_;
  std::map<uint64_t, rpc::Lease> computing_;  // by lease
  std::set<uint64_t> hung_;  // leases of these units, also of those that were given up
  // A unit in the kernels. Its steps take equal times.
  struct InKernels {
    Instant begin, end;
  };
  std::map<uint64_t, InKernels> in_kernels_;  // by lease
  FloatBufferPool results_;
  std::unique_ptr<WorkQueue> fetching_;  // one fetch at a time, as in ChunkedExchange
};

}  // namespace dl::sim
