// The slots of a simulated executor: units are computed by the stand-in kernels, each in its time,
// and with the faults of the machine.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "executor/core/events.h"
#include "tests/sim/executor_workshop.h"
#include "tests/sim/failure_rules.h"

namespace dl::sim {

class ExecutorSlots {
 public:
  struct Options {
    Duration unit_time = std::chrono::milliseconds(100);  // the longest that a unit takes
    std::function<void(const UnitId&, Trouble)> trouble;
    std::function<void(const UnitId&)> killed;
    // A fatal signal, of the thread that computes for that lease or, for 0, of another one.
    std::function<void(uint64_t lease)> crash;
  };
  ExecutorSlots(ExecutorWorkshop& shop, Options options)
      : shop_(shop), options_(std::move(options)) {}

  void Do(const executor::RunUnit& effect);
  void Do(const executor::AbortUnit& effect);
  // What a process that a signal ends leaves to the next one: the unit that the culprit computed,
  // or all that are under way.
  std::vector<rpc::CrashedUnit> NoteOf(uint64_t culprit) const;

 private:
  void FetchThen(const rpc::Lease& lease, const std::string& sha256,
                 std::function<void(Vector)> then);
  void FetchRest(const rpc::Lease& lease, Base have);
  void ComputeUnit(const rpc::Lease& lease, const Base& base);
  void EndUnit(const rpc::Lease& lease, const Base& base);
  void Lie(Outcome& outcome);
  void MakeAbsurd(rpc::AnnounceRequest& said);

  ExecutorWorkshop& shop_;
  Options options_;
  std::map<uint64_t, rpc::Lease> computing_;  // by lease
  std::set<uint64_t> hung_;                   // of these, and of those that were given up
};

}  // namespace dl::sim
