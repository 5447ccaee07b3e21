// The kernel contract under which a job is computed. It may rest on the statement of a single
// executor, which may be wrong. A job can therefore leave its contract and start again under
// another one (Eligibility::PreferredContract). REQUIRES: it has no commit after round 0, and fewer
// than two executors are eligible under its own contract. It leaves the contract in two cases:
//
// - For CoreOptions::return_grace, more executors have offered the other contract than its own.
// - The job would FAIL because of a unit otherwise. It does not return to a contract that it left
//   in this way, until it is started again.
#pragma once

#include <string>

#include "master/core/machine/endings.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/recovery.h"

namespace dl::master {

class Contracts : public Component {
 public:
  struct Uses {
    Endings& endings;
    Recovery& recovery;
  };
  Contracts(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Decides the job's contract if possible, and persists it. Returns false if it is not decided yet
  // (Eligibility::ContractFor).
  bool Bind(Job& job);
  // Decides the contract of a job that a user resumes, if possible (Bind). Returns the part of the
  // answer to the user that names the contract, or reports that it is decided later. Does nothing
  // and returns "" if the job has a contract.
  std::string BoundHow(Job& job);
  // Leaves the job's contract if more executors have had another one for CoreOptions::return_grace.
  // Removes the job's units if it does. The time counts from the first call that finds more
  // executors (Job::outvoted_since).
  void LeaveIfOutvoted(Job& job);
  // FAILS the job because of reports of executors about its units, unless it can leave its
  // contract. Removes its units in both cases.
  void FailForUnit(Job& job, Reason reason, const Status& error);
  // Settles a request. Does nothing if an earlier request of the step removed the unit already.
  void Settle(const FailureRequest& request);

 private:
  bool MayLeave(const Job& job) const;
  bool LeaveToGoOn(Job& job);
  void Leave(Job& job, std::string other);
  void ReportExcluded(Job& job);
  void ReportLowestIsa(Job& job);

  const Uses uses_;
};

}  // namespace dl::master
