#include "master/core/machine/room.h"

#include "master/core/machine/machine.h"

namespace dl::master {

Room::Room(Machine& machine)
    : life_(machine.life),
      step_(machine.step),
      fleet_(machine.fleet),
      offers_(machine.offers),
      jobs_(machine.jobs),
      work_(machine.work),
      machine_(machine) {}

}  // namespace dl::master
