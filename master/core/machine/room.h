// Base class of the core's components: references to everything that they share.
#pragma once

#include "master/core/current_step.h"
#include "master/core/fleet/fleet.h"
#include "master/core/fleet/offers.h"
#include "master/core/life.h"
#include "master/core/machine/jobs.h"
#include "master/core/machine/work_list.h"

namespace dl::master {

class Machine;

class Room {
 public:
  explicit Room(Machine& machine);
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

 protected:
  ~Room() = default;

  Life& life_;
  CurrentStep& step_;
  Fleet& fleet_;
  const Offers& offers_;
  Jobs& jobs_;
  WorkList& work_;
  Machine& machine_;
};

}  // namespace dl::master
