// Marks what a change of the registered executors affects.
#pragma once

#include <utility>

#include "master/core/fleet/fleet.h"
#include "master/core/machine/jobs.h"
#include "master/core/machine/ready_queue.h"

namespace dl::master {

class FleetChanges {
 public:
  FleetChanges(Fleet& fleet, Jobs& jobs, ReadyQueue& ready)
      : fleet_(fleet), jobs_(jobs), ready_(ready) {}

  // Executors came, left or changed in trust. Marks all jobs that are being computed, and their
  // troubled units. Lets Admission look for kernel contracts of queued jobs again.
  void Record();
  // An executor was backed off, or its backoff ended. Marks the troubled units (UnitIndex), and
  // lets waiting executors ask for work again.
  void RecordBackoff();
  // Whether Record() was called since TakeRecorded().
  bool recorded() const { return recorded_; }
  bool TakeRecorded() { return std::exchange(recorded_, false); }

 private:
  Fleet& fleet_;
  Jobs& jobs_;
  ReadyQueue& ready_;
  bool recorded_ = false;
};

}  // namespace dl::master
