// Offers the master the parts of a state that it asked for after its restart.
#pragma once

#include <map>
#include <string>

#include "executor/core/core_component.h"

namespace dl::executor {

class Offers : public Component {
 public:
  using Component::Component;

  // Offers the part, which is sent when it is due. Does nothing if it is being offered already.
  void Take(const std::string& job, const std::string& sha256);
  // Handles the end of an attempt. After an error, schedules another attempt, because the master
  // asks no other executor while this session lives. Gives the offer up if the master does not know
  // the job, or has refused the bytes for good (Call::IsRefusedForGood). An attempt succeeds
  // without an effect when the master needs the part no longer.
  void On(const PartOffered& event);
  // Forgets all offers. Must be called when the session ends.
  void LeaveSession() { offers_.clear(); }
  // Sends the offers that are due.
  void SendDue();
  // Returns when the next offer is due; Instant::Max() if none is.
  Instant NextDue() const;

 private:
  struct Offer {
    std::string job;
    Call call;
  };

  std::map<std::string, Offer> offers_;  // of this session, by SHA-256
};

}  // namespace dl::executor
