// Backs off executors that fail, stall or are overtaken: for a while, they get a unit only if no
// executor without a backoff may compute it. An executor that repeatedly delivers no result is
// asked to restart.
#pragma once

#include <string>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Backoffs : public Component {
 public:
  using Component::Component;

  static constexpr Duration kFirstBackoff = std::chrono::seconds(10);
  static constexpr Duration kLongestBackoff = std::chrono::minutes(10);

  // Backs the executor off for a pause that doubles with each backoff in a row (kFirstBackoff to
  // kLongestBackoff). During the pause it gets a unit only if no executor without a backoff may
  // lease the unit. Busy executors count, so the executor may be idle. The job reports a warning
  // with the reason `why`. REQUIRES: the executor is registered or has an entry (Fleet::BackoffOf).
  void BackOff(Job& job, const std::string& executor, const std::string& why);
  // Records that the executor delivered a result, which ends its backoff and resets its counts.
  void RecordDelivery(const Session& session);
  // Asks the executor to restart, with a warning of the job. Does nothing if executors cannot
  // restart (local[N]).
  void AskToRestart(Job& job, Session& session, const std::string& why);
  // Asks the executor to restart if it was backed off at least three times in a row.
  void GiveUpOn(Job& job, Session& session);
  // Records that the executor is overtaken: another executor finished a unit of the job before it.
  // Backs off an executor that is overtaken at three units without a delivery or a backoff between
  // them, and then calls GiveUpOn() for it.
  void RecordOvertaken(Job& job, Session& session);
  // Ends all leases of a unit that needs no more results. Their executors are overtaken, because
  // another executor's result completed the unit.
  void EndOvertakenLeases(Unit& unit);
};

}  // namespace dl::master
