// Executors come, are heard, go.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "master/core/leasing/leasing.h"
#include "master/core/machine/room.h"

namespace dl::master {

class Sessions : public Room {
 public:
  Sessions(Machine& machine, Leasing& leasing) : Room(machine), leasing_(leasing) {}

  void On(const Asked<rpc::RegisterRequest>& event);
  void On(const Asked<rpc::HeartbeatRequest>& event);
  void On(const Asked<rpc::GoodbyeRequest>& event);
  void On(const SessionDisconnected& event);
  void ExpireSessions();

 private:
  void DropSession(uint64_t id, std::string_view why);
  void LoseSession(uint64_t id, std::string_view why);
  void TakeBackWhatIsNotHeld(Session& session, const std::vector<rpc::UnitProgress>& held);

  Leasing& leasing_;
};

}  // namespace dl::master
