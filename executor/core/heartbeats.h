// Heartbeats of a session. They show the master that the executor lives and what it computes. Their
// answers bring the master's requests.
#pragma once

#include <optional>

#include "executor/core/core_component.h"
#include "executor/core/gather_requests.h"
#include "executor/core/offers.h"
#include "executor/core/slots.h"

namespace dl::executor {

class Heartbeats : public Component {
 public:
  Heartbeats(Context& context, Slots& slots, Gathering& gathering, Offers& offers)
      : Component(context), slots_(slots), gathering_(gathering), offers_(offers) {}

  // Makes the first heartbeat of the session due now. Each later heartbeat is due `interval` after
  // the answer to the heartbeat before it.
  void BeginSession(Duration interval);
  // Forgets the heartbeat that is not answered yet. Must be called when the session ends.
  void LeaveSession() { call_.in_flight = false; }
  // Executes the master's requests in the answer, except `drain`, which Core executes. After an
  // error, schedules another attempt.
  void On(const HeartbeatAnswered& event);
  // Sends a heartbeat if one is due and none is unanswered. REQUIRES: a session.
  void SendIfDue();
  // Returns when the next heartbeat is due; Instant::Max() while one is unanswered.
  Instant NextDue() const { return call_.NextDue(); }

 private:
  void HandleFailure(const Status& why);
  void Apply(const rpc::HeartbeatReply& reply);
  void Abandon(const UnitId& unit);

  Slots& slots_;
  Gathering& gathering_;
  Offers& offers_;
  Duration interval_{};
  Call call_;
  Instant sent_;
  uint64_t notices_seen_ = 0;  // highest HeartbeatReply::number in this session
  bool restart_requested_ = false;
  Instant warn_at_;
  std::optional<Instant> silent_since_;  // since when heartbeats are not answered
};

}  // namespace dl::executor
