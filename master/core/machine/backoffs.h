// Executors that fail, stall or come too late: other executors are asked first for a while, and an
// executor that repeatedly brings no result is asked to restart.
#pragma once

#include <string>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Backoffs : public Component {
 public:
  using Component::Component;

  static constexpr Duration kFirstBackoff = std::chrono::seconds(10);
  static constexpr Duration kLongestBackoff = std::chrono::minutes(10);

  // Backs the executor off: others are asked first, for a pause that doubles each time in a row
  // (kFirstBackoff to kLongestBackoff). The job reports a warning with the reason `why`. REQUIRES:
  // the executor is registered or has an entry (Fleet::BackoffOf).
  void BackOff(Job& job, const std::string& executor, const std::string& why);
  // Records that the executor delivered a result, which ends its backoff and resets its counts.
  void RecordDelivery(const Session& session);
  // Asks the executor to restart, with a warning of the job. Does nothing if executors cannot
  // restart (local[N]).
  void AskToRestart(Job& job, Session& session, const std::string& why);
  // Asks the executor to restart if it was backed off at least three times in a row.
  void GiveUpOn(Job& job, Session& session);
  // Ends all leases of a unit that needs no more results. Backs off executors that are overtaken at
  // three units in a row, and then calls GiveUpOn() for them.
  void EndOvertakenLeases(Unit& unit);
};

}  // namespace dl::master
