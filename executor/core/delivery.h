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

  // Sends the next message about the unit: an announcement, the bytes of the result, or a failure
  // report. Does nothing in stages that have no message to the master.
  void Send(const UnitId& unit, Work& work);
  // Applies the master's verdict: the result is sent next or held for a gather, or the unit is
  // dropped because the master needs nothing more. Also drops the unit if the master found the
  // announcement invalid. After other errors, schedules another attempt.
  void On(const AnnounceAnswered& event);
  // Retains the result if the master has all bytes (Units::Retain). Drops it if the master does not
  // want it or has refused its bytes for good. After other errors, schedules another attempt.
  void On(const ContributionSent& event);
  // Reports an announced unit as failed, so that the master has it computed again. Does nothing
  // after the master has the bytes.
  void On(const ResultLost& event);
  // Drops the unit if the master has the failure report. After an error, schedules another attempt.
  void On(const FailureReported& event);

 private:
  void HandleSendFailure(Work& work, const ContributionSent& event);

  const Slots& slots_;
  Gathering& gathering_;
};

}  // namespace dl::executor
