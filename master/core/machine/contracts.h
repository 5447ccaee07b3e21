// Under which kernel contract a job is computed.
#pragma once

#include <string>

#include "master/core/machine/room.h"

namespace dl::master {

class Contracts : public Room {
 public:
  using Room::Room;

  // False: not decided yet (Offers::ContractFor).
  bool Bind(Job& job);
  // What a rebind's answer says of the contract to come; "" where the job has its own.
  std::string BoundHow(Job& job);

 private:
  void TellExcluded(Job& job);
  void TellLowest(Job& job);
};

}  // namespace dl::master
