// Results of units: announcements, their verdicts, and their bytes.
#pragma once

#include "master/core/machine/backoffs.h"
#include "master/core/machine/failures.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/trust.h"
#include "master/core/machine/unit_progress.h"

namespace dl::master {

class Results : public Component {
 public:
  struct Uses {
    Backoffs& backoffs;
    Failures& failures;
    Progress& progress;
    Trust& trust;
  };
  Results(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Answers with the verdict on the result's bytes. A result is recorded if its unit is open and
  // was leased to the executor from the current base state. It is accepted, confirms the accepted
  // one, or opens a dispute. A late result is compared with the commit of its round. Answers
  // Aborted if the session is over, and Unavailable while the job's state is loaded. Answers
  // InvalidArgument if the announcement does not fit the unit's plan, which counts as a failure of
  // the executor.
  void On(const Asked<Announcement>& event);
  // The bytes of an accepted result have arrived. Ignores bytes of earlier acceptances.
  void On(const ContributionStaged& event);
  // Withdraws the result and counts the failure against the sender.
  void On(const ContributionRefused& event);

 private:
  bool MayRepeatThePast(const Job& job, const Session& session,
                        const rpc::AnnounceRequest& said) const;
  bool WasLeased(const Job& job, const Session& session, const rpc::AnnounceRequest& said) const;
  rpc::Verdict Accept(Job& job, Unit& unit, Session& session, const Announcement& announcement);
  rpc::Verdict TakeResult(Job& job, Unit& unit, Session& session, const Announcement& announcement);
  void RecordDuration(Job& job, Duration duration);

  const Uses uses_;
  uint64_t next_expected_ = 1;
};

}  // namespace dl::master
