// What the parts of a simulated executor share: its process, the way to its core, results and parts
// that it has, and what is wrong with its machine.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/philox.h"
#include "executor/core/events.h"
#include "tests/sim/disk.h"
#include "tests/sim/sim_job.h"
#include "tests/sim/stoppable_process.h"

namespace dl::sim {

// Probabilities.
struct ExecutorFaults {
  double wrong = 0;       // that a result's bits are wrong
  double wrong_sums = 0;  // that a sum is not what its parts give
  double absurd = 0;      // that an announcement says what no unit of the job can give
  double failing = 0;     // that a unit ends in an error
  double not_finite = 0;  // that a training unit's loss is no number
  double crashing = 0;    // that a unit ends the process by a signal
  double killed = 0;      // that a unit ends the process by SIGKILL, as a memory limit does
  double hanging = 0;     // that a unit never comes back from its kernels, and heartbeats go on
};

// Parts of states that came lately.
class KeptParts {
 public:
  void Add(const std::string& sha256, Vector part) {
    parts_.emplace_back(sha256, std::move(part));
    if (parts_.size() > kMost) parts_.pop_front();
  }
  const Vector* Find(const std::string& sha256) const {
    for (const auto& [name, part] : parts_) {
      if (name == sha256) return &part;
    }
    return nullptr;
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, part] : parts_) names.push_back(name);
    return names;
  }

 private:
  static constexpr size_t kMost = 12;
  std::deque<std::pair<std::string, Vector>> parts_;  // newest last
};

struct ExecutorWorkshop {
  StoppableProcess process;
  Disk* disk = nullptr;  // where job specs are read, in place of FetchJob
  RandomStream random;
  ExecutorFaults faults;
  std::function<void(const executor::Event&)> handle;  // by the core
  std::map<uint64_t, Vector> results;                  // by lease
  KeptParts parts;
  std::set<uint64_t> in_kernels;  // leases
};

inline constexpr Duration kCallDeadline = std::chrono::seconds(5);

}  // namespace dl::sim
