// Delivers results to the master, from the announcement to the receipt for the bytes, and reports
// failures.
#pragma once

#include "executor/core/core_component.h"
#include "executor/core/gather_requests.h"
#include "executor/core/slots.h"

namespace dl::executor {

class Delivery : public Component {
 public:
  Delivery(Context& context, const Slots& slots, Gathering& gathering)
      : Component(context), slots_(slots), gathering_(gathering) {}

  // Sends the next message about the unit, if its stage has one.
  void Send(const UnitId& unit, Work& work);
  // Moves the unit to the stage that the verdict requires, or drops the unit if its result is not
  // needed or its announcement is invalid. After other errors, schedules another attempt.
  void On(const AnnounceAnswered& event);
  // Retains the result if the master has all bytes, and drops it if the master does not want it or
  // has refused its bytes for good. After other errors, schedules another attempt.
  void On(const ContributionSent& event);
  // Reports the unit as failed, so that it is computed again.
  void On(const ResultLost& event);
  void On(const FailureReported& event);

 private:
  void NotTaken(Work& work, const ContributionSent& event);

  const Slots& slots_;
  Gathering& gathering_;
};

}  // namespace dl::executor
