// The parts of a simulated executor share its process, the way to its core, its computations and
// parts of states, and the faults of its machine.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "base/philox.h"
#include "executor/computation.h"
#include "executor/core/executor_events.h"
#include "executor/state_exchange.h"
#include "tests/sim/disk.h"
#include "tests/sim/sim_job.h"
#include "tests/sim/stoppable_process.h"

namespace dl::sim {

// The share of an executor's messages to the master that are altered, and how (liar.h).
struct Lies {
  double share = 0;              // of its messages
  std::string field;             // the only one; empty: any
  std::set<std::string> spared;  // fields that stay true
};

// Probabilities.
struct ExecutorFaults {
  double wrong = 0;          // that a result's bits are wrong
  double wrong_sums = 0;     // that a sum is not what its parts give
  double stuck_gathers = 0;  // that contributions that are gathered are never sent
  double absurd = 0;         // that an announcement says what no unit of the job can give
  double failing = 0;        // that a unit ends in an error
  double not_finite = 0;     // that a training unit's loss is no number
  double crashing = 0;       // that a unit ends the process by a signal
  double killed = 0;         // that a unit ends the process by SIGKILL, as a memory limit does
  double hanging = 0;        // that a unit never comes back from its kernels, and heartbeats go on
  Lies lies;
  // Times that it repeats one of four requests to the core, at once. It also opens so many
  // connections that send contributions slowly.
  int64_t flood = 0;
};

struct ExecutorServicesUnderTest {
  StoppableProcess process;
  Disk* disk = nullptr;  // where job specs are read, in place of FetchJob
  RandomStream random;
  ExecutorFaults faults;
  std::function<void(const executor::Event&)> handle;  // by the core
  executor::ChunkedExchange* exchange = nullptr;
  executor::Computations computations;
};

}  // namespace dl::sim
