// Base class of the core's components: references to everything that they share.
#pragma once

#include "master/core/fleet/eligibility.h"
#include "master/core/fleet/fleet.h"
#include "master/core/machine/jobs.h"
#include "master/core/machine/ready_queue.h"
#include "master/core/machine/requests.h"
#include "master/core/master_incarnation.h"
#include "master/core/master_step.h"

namespace dl::master {

class Machine;

class Component {
 public:
  explicit Component(Machine& machine);
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

 protected:
  ~Component() = default;

  MasterIncarnation& incarnation_;
  CurrentStep& step_;
  Fleet& fleet_;
  const Eligibility& eligibility_;
  Jobs& jobs_;
  ReadyQueue& ready_;
  Requests& requests_;
  Machine& machine_;
};

}  // namespace dl::master
