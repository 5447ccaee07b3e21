// Short calls to the master, each kind behind those of its own: heartbeats and requests for work
// have threads of their own, so that nothing else makes them late.
#pragma once

#include "base/worker_thread.h"
#include "executor/compute_threads.h"
#include "executor/core/events.h"
#include "executor/workshop.h"

namespace dl::executor {

// The core's thread's.
class ControlLanes {
 public:
  // Both outlive it. `compute` tells how far units are.
  ControlLanes(Workshop& shop, ComputeThreads& compute) : shop_(shop), compute_(compute) {}

  void Do(const SendRegister& effect);
  void Do(const SendHeartbeat& effect);
  void Do(const SendLease& effect);
  void Do(const SendAnnounce& effect);
  void Do(const SendFailure& effect);
  void Do(const SendGoodbye& effect);

 private:
  Workshop& shop_;
  ComputeThreads& compute_;
  WorkerThread control_{"control"};
  WorkerThread lease_{"lease"};
  WorkerThread heartbeat_{"heartbeat"};
};

}  // namespace dl::executor
