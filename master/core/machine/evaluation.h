// The test set at an epoch's end: units on executors, sums of integers, one decision.
#pragma once

#include "master/core/machine/room.h"

namespace dl::master {

class Evaluation : public Room {
 public:
  using Room::Room;

  void OpenEvaluation(Job& job);
  void CloseEvaluation(Job& job);
};

}  // namespace dl::master
