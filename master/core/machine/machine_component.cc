#include "master/core/machine/machine_component.h"

#include "master/core/machine/machine.h"

namespace dl::master {

Component::Component(Machine& machine)
    : incarnation_(machine.incarnation),
      step_(machine.step),
      fleet_(machine.fleet),
      eligibility_(machine.eligibility),
      jobs_(machine.jobs),
      ready_(machine.work),
      requests_(machine.requests),
      machine_(machine) {}

}  // namespace dl::master
