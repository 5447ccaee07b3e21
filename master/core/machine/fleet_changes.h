// Marks what a change of the registered executors affects.
#pragma once

#include <cstdint>
#include <utility>

#include "master/core/fleet/fleet.h"
#include "master/core/machine/jobs.h"
#include "master/core/machine/ready_queue.h"

namespace dl::master {

class FleetChanges {
 public:
  FleetChanges(Fleet& fleet, Jobs& jobs, ReadyQueue& ready)
      : fleet_(fleet), jobs_(jobs), ready_(ready) {}

  // Marks all jobs that are being computed, and lets Admission examine the queued jobs. Must be
  // called when executors came, left or changed in trust.
  void Record();
  // Marks the units that are affected, and updates Fleet::next_backoff_end(). Must be called when
  // an executor was backed off or held off, or when its backoff ended.
  void RecordBackoff();
  // Returns the number of changes that were recorded.
  uint64_t changes() const { return changes_; }
  // Whether Record() was called since TakeRecorded().
  bool recorded() const { return recorded_; }
  bool TakeRecorded() { return std::exchange(recorded_, false); }

 private:
  Fleet& fleet_;
  Jobs& jobs_;
  ReadyQueue& ready_;
  uint64_t changes_ = 0;
  bool recorded_ = false;
};

}  // namespace dl::master
