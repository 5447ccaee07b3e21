// Asks the master for work if slots are free, and accepts leases.
#pragma once

#include "executor/core/core_component.h"
#include "executor/core/gather_requests.h"
#include "executor/core/slots.h"

namespace dl::executor {

class Leasing : public Component {
 public:
  Leasing(Context& context, const Slots& slots, Gathering& gathering)
      : Component(context), slots_(slots), gathering_(gathering) {}

  // Makes the first request of the session due now.
  void BeginSession();
  // Forgets the request that is not answered yet. Must be called when the session ends.
  void LeaveSession() { call_.in_flight = false; }
  // Accepts the leases and gathers in the answer. Hands leases back if the executor takes no more
  // work. After an error, schedules another attempt.
  void On(const LeaseAnswered& event);
  // Sends a lease request if one is due and none is unanswered. REQUIRES: a session.
  void AskIfDue();
  // Returns when the next request is due; Instant::Max() while none is wanted or one is unanswered.
  Instant NextDue() const { return slots_.CountWanted() > 0 ? call_.NextDue() : Instant::Max(); }

 private:
  void Take(const rpc::Lease& lease);
  void DropOtherSpecs(const rpc::Lease& lease);

  const Slots& slots_;
  Gathering& gathering_;
  Call call_;
};

}  // namespace dl::executor
