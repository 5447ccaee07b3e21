// The executor's slots: what each thread computes, and how many more units fit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executor/core/core_component.h"

namespace dl::executor {

class Slots : public Component {
 public:
  explicit Slots(Context& context);

  // Returns a free slot, if there is one. Prefers the slot that has read the unit's data ahead,
  // then a slot that has read nothing ahead. Otherwise slots that finish in a different order than
  // they began would discard each other's prefetched data.
  std::optional<size_t> FindFree(const UnitId& unit) const;
  bool AnyFree() const;
  // Returns how many units to request from the master: the number of free slots minus the number of
  // waiting units. A negative number means that no unit is requested. Returns 0 while the executor
  // takes no work, while too many results wait for delivery, and if the process has to restart
  // because a thread was lost.
  int32_t CountWanted() const;

  // Records that the slot's thread computes the unit of this lease.
  void Begin(size_t slot, const rpc::Lease& lease);
  // Records that the thread of this computation is free again.
  void RecordThreadFree(uint64_t lease);
  // Looks for threads that still compute CoreOptions::thread_return_timeout after their unit was
  // given up, and considers them lost. Must be called regularly: the master cannot notice such
  // threads, because it has no lease of their units any more. If the process can restart
  // (CoreOptions::can_restart), no more work is requested after a thread is lost. The process is
  // restarted when no other unit is under way, apart from held results, or after
  // CoreOptions::thread_return_timeout at the latest. If it cannot restart, only the slot stays
  // unusable, until the thread returns.
  void FindLostThreads();

 private:
  // The computation of a slot's thread. A hanging thread keeps its slot even after its unit was
  // aborted.
  struct RunningUnit {
    uint64_t lease = 0;  // names the computation; 0: none
    UnitId unit;
    std::optional<Instant> given_up;  // when the unit was first found to be unwanted
    bool reported = false;
  };
  std::vector<RunningUnit> threads_;
  std::optional<std::string> lost_;  // why the process has to restart
  Instant lost_since_;
  bool restart_requested_ = false;  // the restart was requested
  // The unit that each slot was asked to read ahead; the slot has its first minibatches.
  std::vector<std::optional<UnitId>> hinted_;
};

}  // namespace dl::executor
