// Data shared by the parts of a simulated executor: its process, its disk, its computations, and
// the faults of its machine.
#pragma once

#include <set>
#include <string>

#include "base/philox.h"
#include "executor/computation.h"
#include "tests/sim/disk.h"
#include "tests/sim/sim_job.h"
#include "tests/sim/stoppable_process.h"

namespace dl::sim {

// The messages of an executor to the master that are altered, and how (liar.h).
struct Lies {
  double share = 0;              // share of its messages
  std::string field;             // the only field that is altered; empty: any
  std::set<std::string> spared;  // fields that are never altered
};

// Probabilities.
struct ExecutorFaults {
  double wrong = 0;          // a result has wrong bits
  double wrong_sums = 0;     // a sum differs from that of its contributions
  double stuck_gathers = 0;  // gathered contributions are never sent
  double absurd = 0;         // an announcement has values that are impossible for the job
  double failing = 0;        // a unit ends with an error
  double not_finite = 0;     // a training unit's loss is not finite
  double crashing = 0;       // a unit ends the process by a signal
  double killed = 0;         // a unit ends the process by SIGKILL, as a memory limit does
  double hanging = 0;        // a unit never returns from its kernels, while heartbeats continue
  Lies lies;
  // Number of copies of one in four requests to the core that it sends at once, some with a short
  // deadline. It also opens this number of connections that send contributions, slowly or all at
  // once.
  int64_t flood = 0;
};

struct ExecutorServicesUnderTest {
  StoppableProcess process;
  Disk* disk = nullptr;  // job specs are read here, instead of by FetchJob
  RandomStream random;
  ExecutorFaults faults;
  executor::Computations computations;
};

}  // namespace dl::sim
