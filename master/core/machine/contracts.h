// Under which kernel contract a job is computed.
#pragma once

#include <string>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Contracts : public Component {
 public:
  using Component::Component;

  // False: not decided yet (Offers::ContractFor).
  bool Bind(Job& job);
  // What a rebind's answer says of the contract to come; "" where the job has its own.
  std::string BoundHow(Job& job);
  // The contract of a job may be the word of a single executor, which may be wrong about it. So a
  // job that has no committed round, and whose contract fewer than two executors offer, can leave
  // it and begins again under another one:
  // - when more executors have offered the other one for CoreOptions::return_grace;
  void LeaveIfOutvoted(Job& job);
  // - when it would fail otherwise, once from each contract. True: it left.
  bool LeaveToGoOn(Job& job);

 private:
  bool MayLeave(const Job& job) const;
  void Leave(Job& job, std::string other);
  void ReportExcluded(Job& job);
  void ReportLowestIsa(Job& job);
};

}  // namespace dl::master
