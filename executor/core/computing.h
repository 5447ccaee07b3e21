// Starts units, each in a slot whose thread is free, and handles the end of their computation: a
// result, a failure, or a retry.
#pragma once

#include <cstdint>

#include "executor/core/core_component.h"
#include "executor/core/slots.h"

namespace dl::executor {

class Computing : public Component {
 public:
  Computing(Context& context, Slots& slots) : Component(context), slots_(slots) {}

  // Starts a waiting unit if a slot is free.
  void Begin(Work& work);
  // Frees the slot and makes the announcement of the result due. Drops the result if its unit was
  // abandoned meanwhile.
  void On(const UnitFinished& event);
  // Frees the slot. If the network or the master was at fault, schedules another attempt, for up to
  // 30 s after the first failure and unless the executor is leaving. Otherwise makes the failure
  // report due.
  void On(const UnitFailed& event);

 private:
  void ScheduleRetry(Work& work, const UnitFailed& event);
  int64_t& CountOf(FetchTarget fetched);  // retry counter
  void ReportFetching(const UnitFailed& event);

  Slots& slots_;
  int64_t fetch_failures_ = 0;  // failures of retried units; reset after 60 s without any
  Instant fetch_failed_at_, fetch_warn_at_;
  Duration fetch_warn_pause_{};
};

}  // namespace dl::executor
