// Sessions with the master: opens one, retries until it succeeds, and says goodbye in the last one.
#pragma once

#include <optional>
#include <vector>

#include "executor/core/core_component.h"

namespace dl::executor {

class Registration : public Component {
 public:
  explicit Registration(Context& context);

  // Returns whether a session has begun.
  bool On(const RegisterAnswered& event);
  void On(const GoodbyeAnswered& event);

  void LeaveSession();  // the session is over
  void Register();      // requests a session if that is due; ends instead if the executor stops
  // Aborts running units and sends the goodbye, once.
  void SayGoodbye();

  bool exited() const { return exited_; }
  Instant NextDue() const { return call_.NextDue(); }

 private:
  void NotRegistered(const Status& why);
  bool IsFinal(const Status& why);
  void End();

  Call call_;
  std::vector<rpc::CrashedUnit> crashed_;  // not reported to any master yet
  bool joined_before_ = false;
  std::optional<Instant> denied_since_, silent_since_;
  // Reported reason for waiting. None: it has a session, or expects one.
  std::optional<absl::StatusCode> waits_for_;
  bool goodbye_asked_ = false;
  bool exited_ = false;
};

}  // namespace dl::executor
