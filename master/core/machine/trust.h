// Decides which results to trust. Resolves disputes, quarantines executors, and requests that jobs
// roll back to before rounds that are not trusted. Removes no unit from a job.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "master/core/machine/backoffs.h"
#include "master/core/machine/gathering.h"
#include "master/core/machine/machine_component.h"

namespace dl::master {

class Trust : public Component {
 public:
  struct Uses {
    Backoffs& backoffs;
    Gathering& gathering;
  };
  Trust(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Voters that are no registered executors. kCommitted: the commit of a round that is computed
  // again. kUnknownExecutor: the executor that gave a committed result, if the core no longer knows
  // which executor that was.
  static constexpr std::string_view kCommitted = "the commit";
  static constexpr std::string_view kUnknownExecutor = "an executor of earlier";

  // Records when the dispute began, and warns that two results of the unit differ. Reopens the
  // round if it is being merged or gathered.
  void OpenDispute(Job& job, const Unit& unit);
  // If the unit has a majority, removes other results, quarantines their executors, and returns the
  // majority's digest. If the majority contradicts the commit, requests a rollback of the job.
  // Returns nullopt if the dispute is not settled or the majority contradicts the commit.
  std::optional<uint64_t> SettleDispute(Job& job, Unit& unit);
  // Quarantines the session's executor, which gave two different results of the unit from the same
  // base under the job's contract. No third result is needed, because one of them is wrong.
  void QuarantineForContradiction(Job& job, const UnitId& unit, const Session& session);
  // Quarantines each executor that reported a value that is not finite in the unit, if a result of
  // the unit is independent of this executor (Attestations::IsIndependentEvidence). All values of a
  // result are finite. Does nothing while the unit has no accepted result.
  void QuarantineSoleNanReporter(Job& job, const Unit& unit);
  // Excludes the executor durably. Does nothing if it was quarantined already. `token` is the
  // Session::accountable_token of the session that gave the wrong result.
  //   - Ends its leases. Withdraws accepted results that no other executor confirmed, whose bytes
  //     it still has to send, or whose bytes it sent in a sum that was not opened (Unit::Distrust).
  //   - If a live job (Job::live) has committed rounds from the executor's horizon on
  //     (Attestations::unverified_since), requests a rollback to before the horizon. Emits a
  //     warning instead if the job has no verification (Job::RollsBackOnQuarantine). A queued or
  //     paused job rolls back when it starts (JobStart).
  //   - Emits a warning of each ended job in memory that has such rounds, and of each job in memory
  //     whose source rests on unconfirmed results of the executor.
  void Quarantine(const std::string& executor, const std::string& token);
  // Records which executors gave results that no other executor confirmed, and how many results of
  // each executor were confirmed. Must be called when a round is committed, and when the evaluation
  // of its state is complete. Contributions in a sum that was not opened count as unconfirmed.
  // Unconfirmed results of verify_executors are not recorded. The record is durable, because a
  // quarantine may come after a restart of the master.
  void RecordConfirmations(Job& job, int64_t round);
  // Persists on which unconfirmed results the source of a new job rests. Emits a warning if some of
  // these executors are quarantined, or if the source is a checkpoint that a rollback set aside.
  void RecordSource(Job& job);
  // Persists the durable part of job.attestations, if it changed.
  void PersistUnverified(Job& job);
  // Compares a late training result with the commit of its round. Does nothing unless this commit
  // and the previous one are in memory, the result starts from the state of the previous one, and
  // the commit has the job's kernel contract. Ignores quarantined executors. An equal
  // result counts as a delivery. If the results differ, emits a warning, and then:
  //   - If the late executor also gave the committed result, quarantines it. If no other executor
  //     gave the committed result, requests a rollback of a live job to before the round.
  //   - Otherwise quarantines the late executor if two executors, or one of verify_executors, gave
  //     the committed result, unless the late executor is itself one of verify_executors.
  //   - Otherwise requests a rollback of a live job to before the round, with both results as
  //     votes.
  void CompareWithCommit(Job& job, Session& session, const Announcement& announcement);
  // Returns Internal if a gathered round contains a sum of a quarantined executor, or if committed
  // rounds of a live job with verification rest on its unconfirmed results.
  Status CheckTrust(const Job& job) const;

 private:
  void WarnOfRounds(Job& job, const std::string& executor, int64_t since);
  void WarnOfSource(Job& job, const std::string& executor);
  void Contradict(Job& job, const Session& session, const Announcement& announcement,
                  const CommittedUnit& committed);

  const Uses uses_;
};

}  // namespace dl::master
