// The executor's sessions with the master: it opens one, again and again while there is none to be
// had, and says goodbye in the last one.
#pragma once

#include <optional>
#include <vector>

#include "executor/core/room.h"

namespace dl::executor {

class Registration : public Room {
 public:
  explicit Registration(Ground& ground);

  // Whether a session has begun.
  bool On(const RegisterAnswered& event);
  void On(const GoodbyeAnswered& event);

  void LeaveSession();  // it is over
  void Register();      // when that is due; where the executor stops, it ends instead
  void SayGoodbye();

  bool exited() const { return exited_; }
  Instant NextDue() const { return call_.NextDue(); }

 private:
  void NotRegistered(const Status& why);
  bool IsFinal(const Status& why);
  void End();

  Call call_;
  std::vector<rpc::CrashedUnit> crashed_;  // that no master has heard of yet
  bool joined_before_ = false;
  std::optional<Instant> denied_since_;
  std::optional<absl::StatusCode> waits_for_;  // told; none: it has a session, or is about to
  bool goodbye_asked_ = false;
  bool exited_ = false;
};

}  // namespace dl::executor
