// Errors that executors report of units: whose fault they are, and when a unit is given up.
#pragma once

#include <vector>

#include "master/core/machine/room.h"
#include "rpc/messages.h"

namespace dl::master {

class Failures : public Room {
 public:
  using Room::Room;

  void On(const Asked<rpc::FailureReport>& event);
  void NoteFailure(Job& job, Unit& unit, const Session& session, const rpc::FailureReport& report);
  // What the executor sent is not what it announced: its memory, or something between, changes
  // bits. Others may do better. Or the master lacked memory for it, which is nobody's failure.
  void NoteRefused(Job& job, Unit& unit, const Session& session, const Status& why);
  void NoteCrashes(const Session& session, const std::vector<rpc::CrashedUnit>& crashes);

 private:
  bool IsNotFinite(const Job& job, const Unit& unit) const;
  void NoteRetry(Job& job, const Unit& unit, const Session& session,
                 const rpc::FailureReport& report);
};

}  // namespace dl::master
