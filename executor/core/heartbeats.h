// Heartbeats of a session. They show the master that the executor lives and what it computes. Their
// answers bring the master's requests.
#pragma once

#include <optional>

#include "executor/core/gathering.h"
#include "executor/core/room.h"
#include "executor/core/slots.h"

namespace dl::executor {

class Heartbeats : public Room {
 public:
  Heartbeats(Ground& ground, Slots& slots, Gathering& gathering)
      : Room(ground), slots_(slots), gathering_(gathering) {}

  // Makes the first heartbeat of the session due now.
  void BeginSession(Duration interval);
  void LeaveSession() { call_.asked = false; }
  void On(const HeartbeatAnswered& event);
  void SendIfDue();
  Instant NextDue() const { return call_.NextDue(); }

 private:
  void NotAnswered(const Status& why);
  void Apply(const rpc::HeartbeatReply& reply);
  void Abandon(const UnitId& unit);

  Slots& slots_;
  Gathering& gathering_;
  Duration interval_{};
  Call call_;
  Instant sent_;
  uint64_t notices_seen_ = 0;  // number of the session's last answered heartbeat
  bool start_anew_told_ = false;
  Instant warn_at_;
  std::optional<Instant> silent_since_;  // since when heartbeats are not answered
};

}  // namespace dl::executor
