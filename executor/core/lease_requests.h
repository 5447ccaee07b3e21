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

  void BeginSession();
  void LeaveSession() { call_.asked = false; }
  void On(const LeaseAnswered& event);
  // Sends a lease request if slots are free and the last request was answered.
  void AskIfDue();
  Instant NextDue() const { return slots_.CountWanted() > 0 ? call_.NextDue() : Instant::Max(); }

 private:
  void Take(const rpc::Lease& lease);
  void DropOtherSpecs(const rpc::Lease& lease);

  const Slots& slots_;
  Gathering& gathering_;
  Call call_;
};

}  // namespace dl::executor
