// Handles the results of units: accepts or refuses announced results, and records the arrival of
// their bytes.
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

  // Answers with an rpc::Verdict: whether the executor must send, hold or drop the bytes of the
  // result, or kDone for an accepted result of an evaluation, which has no bytes.
  //   - A result is recorded if its unit is open and was leased to the executor from the current
  //     base state. The lease may have ended. Results of quarantined executors are not recorded.
  //   - The first recorded result is accepted. If its holder announces it again, the answer is the
  //     same until the bytes have arrived. An equal result of another computation confirms it, and
  //     its bytes are unwanted. If the delivery of the accepted result is overdue
  //     (Progress::DeliveryBound), the equal result replaces it. A different result opens a
  //     dispute. During a dispute, each result is a vote that may settle it.
  //   - If the unit was leased and its round is over, the result is not recorded but compared with
  //     the commit of the round (Trust::CompareWithCommit), and is unwanted.
  //   - All other results are unwanted and have no effect.
  // Answers Aborted if the session is over, and Unavailable while the job's state is loaded.
  // Answers InvalidArgument if the announcement does not fit the unit's plan. This counts as a
  // failure of the executor.
  void On(const Asked<Announcement>& event);
  // Marks an accepted result as staged, and records the delivery of its sender. Ignores bytes of
  // earlier acceptances and of other sessions.
  void On(const ContributionStaged& event);
  // The received bytes differ from the announcement. Withdraws the accepted result and records the
  // failure (Failures::RecordRefusal). Ignores bytes of earlier acceptances and of other sessions.
  void On(const ContributionRefused& event);

 private:
  bool MayRepeatThePast(const Job& job, const Session& session,
                        const rpc::AnnounceRequest& said) const;
  bool WasLeased(const Job& job, const Session& session, const rpc::AnnounceRequest& said) const;
  rpc::Verdict Accept(Job& job, Unit& unit, Session& session, const Announcement& announcement);
  rpc::Verdict TakeResult(Job& job, Unit& unit, Session& session, const Announcement& announcement);
  rpc::Verdict ReplaceOverdue(Job& job, Unit& unit, Session& session,
                              const Announcement& announcement);
  Shared<std::string> ActivationsOf(const JobDefinition& definition, const Unit& unit,
                                    const Session& session, const Announcement& announcement);
  void RecordDuration(Job& job, Duration duration);

  const Uses uses_;
  uint64_t next_expected_ = 1;
};

}  // namespace dl::master
