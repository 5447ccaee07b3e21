// The kernel contract under which a job is computed.
#pragma once

#include <string>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Contracts : public Component {
 public:
  using Component::Component;

  // Decides the job's contract if possible, and persists it. Returns false if it is not decided yet
  // (Eligibility::ContractFor).
  bool Bind(Job& job);
  // Returns the part of a rebind's answer about the new contract; empty if the job has a contract.
  std::string BoundHow(Job& job);
  // The contract of a job may rest on the statement of a single executor, which may be wrong. A job
  // without a committed round whose contract fewer than two executors have can therefore leave it
  // and start again under another contract:
  // - if more executors have had the other contract for CoreOptions::return_grace;
  void LeaveIfOutvoted(Job& job);
  // - if it would fail otherwise, once for each contract (FailForUnit).
  //
  // FAILS the job because of reports of executors about its units, unless it can leave its contract.
  // Its units are gone in both cases.
  void FailForUnit(Job& job, Reason reason, const Status& error);
  // Settles a request. Does nothing if an earlier request of the step removed the unit already.
  void Settle(const FailureRequest& request);

 private:
  bool MayLeave(const Job& job) const;
  bool LeaveToGoOn(Job& job);
  void Leave(Job& job, std::string other);
  void ReportExcluded(Job& job);
  void ReportLowestIsa(Job& job);
};

}  // namespace dl::master
