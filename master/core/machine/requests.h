// Changes that a part of the machine needs from parts above it. The part records a request, and
// Upkeep settles it at the end of the step (docs/adr/0014-layers-of-the-machine.md). Recording a
// request therefore invalidates no reference to a job or unit.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/status.h"
#include "master/core/job/job.h"

namespace dl::master {

// A decision that no round after `to` counts any more.
struct Rollback {
  int64_t to = 0;  // last round that counts
  // Results that are added to the units when their round is opened again (Attestations::votes).
  std::map<UnitId, std::vector<UnitResult>> votes;
  std::string why;  // empty: derived from the executors on whose results the rounds rest
};

struct RollbackRequest {
  std::string job;
  Rollback rollback;
};

// A unit that cannot be computed, according to reports or stalls of executors.
struct FailureRequest {
  UnitId unit;
  Reason reason{};
  Status error;
};

using Request = std::variant<RollbackRequest, FailureRequest>;

class Requests {
 public:
  // Requests Rollbacks::RollBack. Does nothing if the job is not live or has no committed round
  // after `rollback.to`.
  void RollBack(const Job& job, Rollback rollback) {
    if (!job.active() || rollback.to >= job.log.committed) return;
    recorded_.push_back(RollbackRequest{job.definition.id, std::move(rollback)});
  }
  // Requests Contracts::FailForUnit for the unit's job, unless the unit is gone by then.
  void FailForUnit(const Unit& unit, Reason reason, Status error) {
    recorded_.push_back(FailureRequest{unit.id, reason, std::move(error)});
  }
  // Whether a recorded request removes the units of the job. A caller should do nothing more with
  // them in this step.
  bool RemoveUnitsOf(const Job& job) const;
  bool empty() const { return recorded_.empty(); }
  // Removes and returns the requests, in the order in which they were recorded.
  std::vector<Request> Take() { return std::exchange(recorded_, {}); }

 private:
  std::vector<Request> recorded_;
};

}  // namespace dl::master
