// Registration, heartbeats, departure and loss of executors.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "master/core/leasing/leasing.h"
#include "master/core/leasing/presence_lines.h"
#include "master/core/machine/room.h"

namespace dl::master {

class Sessions : public Room {
 public:
  Sessions(Machine& machine, Leasing& leasing) : Room(machine), leasing_(leasing), lines_(step_) {}

  void On(const Asked<rpc::RegisterRequest>& event);
  void On(const Asked<rpc::HeartbeatRequest>& event);
  void On(const Asked<rpc::GoodbyeRequest>& event);
  void On(const SessionDisconnected& event);
  // Ends sessions whose connection closed or that sent no heartbeat for too long.
  void ExpireSessions();

 private:
  Status CheckNameOf(const rpc::RegisterRequest& who, const Session& named) const;
  void DropSession(uint64_t id, std::string_view why);
  void LoseSession(uint64_t id, std::string_view why);
  void TakeBackWhatIsNotHeld(Session& session);

  Leasing& leasing_;
  PresenceLines lines_;
};

}  // namespace dl::master
