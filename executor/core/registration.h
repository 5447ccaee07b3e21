// Opens sessions with the master, and ends the last session with a goodbye. Repeats a failed
// registration until it succeeds, or until another attempt is useless: the master speaks another
// protocol, denies the executor, or accepts connections and never answers. The executor then ends.
// After the first session, only a lasting denial ends it.
#pragma once

#include <optional>
#include <vector>

#include "executor/core/core_component.h"

namespace dl::executor {

class Registration : public Component {
 public:
  explicit Registration(Context& context);

  // Begins the session that the master granted. After an error, schedules another attempt or ends
  // the executor. Returns whether a session has begun.
  bool On(const RegisterAnswered& event);
  // Ends the executor, whether the goodbye succeeded or failed.
  void On(const GoodbyeAnswered& event);

  // Forgets the session. Must be called when it is over. Register() may then request the next
  // session at once.
  void LeaveSession();
  // Requests a session if no request is unanswered and the pause after the last failure is over. If
  // the executor leaves (Leaving::now), ends it instead. REQUIRES: no session.
  void Register();
  // Aborts running units and sends the goodbye. Does nothing after the first call. REQUIRES: a
  // session.
  void SendGoodbyeOnce();

  // Whether the executor has ended: it has left, or its registration failed for good.
  bool exited() const { return exited_; }
  // Returns when Register() may send the next request; Instant::Max() while one is unanswered.
  Instant NextDue() const { return call_.NextDue(); }

 private:
  void HandleFailure(const Status& why);
  bool IsFinal(const Status& why);
  void End();

  Call call_;
  std::vector<rpc::CrashedUnit> crashed_;  // not reported to any master yet
  bool joined_before_ = false;
  std::optional<Instant> denied_since_, silent_since_;
  // Reported reason for waiting; nullopt if no attempt has failed since the last session began.
  std::optional<absl::StatusCode> reported_wait_;
  bool goodbye_sent_ = false;
  bool exited_ = false;
};

}  // namespace dl::executor
