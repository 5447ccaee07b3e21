// Decides which results to trust: resolves disputes, quarantines executors, and requests rollbacks
// of jobs to before unverified rounds. Removes no unit.
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

  // Voters that are not executors: the commit of a round that is computed again, and an unknown
  // executor that computed a unit before the master's restart.
  static constexpr std::string_view kCommitted = "the commit";
  static constexpr std::string_view kUnknownExecutor = "an executor of earlier";

  // Warns that two results of the unit differ, and reopens a round that is being merged or
  // gathered.
  void OpenDispute(Job& job, const Unit& unit);
  // If the unit has a majority, removes other results, quarantines their executors, and returns the
  // majority's digest. If the majority contradicts the commit, requests a rollback of the job.
  // Returns nullopt if the dispute is not settled or the majority contradicts the commit.
  std::optional<uint64_t> SettleDispute(Job& job, Unit& unit);
  // Quarantines executors that reported a value that is not finite at the unit, if another executor
  // computed finite values. Does nothing while the unit has no accepted result.
  void QuarantineSoleNanReporter(Job& job, const Unit& unit);
  // Excludes the executor durably. Its leases end and accepted results that rest on it are
  // withdrawn (Unit::Distrust). Requests rollbacks of live jobs with verification to before rounds
  // that rest on it alone; emits a warning for other jobs with these rounds. Does nothing if it was
  // quarantined already. `token` is the Session::accountable_token of the session that gave the
  // wrong result.
  void Quarantine(const std::string& executor, const std::string& token);
  // Records for a committed round, or an evaluation of its state, which results one executor gave
  // alone and which were confirmed. Durable, because a quarantine may come after a restart of the
  // master.
  void RecordConfirmations(Job& job, int64_t round);
  // Persists on which unconfirmed results the source of a new job rests. Warns if some are of
  // quarantined executors, or if the source was set aside.
  void RecordSource(Job& job);
  // Whether a quarantine discards rounds of the job that rest on unconfirmed results of the
  // executor.
  static bool RollsBackOnQuarantine(const Job& job);
  // Persists the durable part of job.attestations, if it changed.
  void PersistUnverified(Job& job);
  // Compares a late result with the commit of its round, if both belong to the job's kernel
  // contract and the commit is in memory. An equal result counts as a delivery. If they differ,
  // quarantines the late executor if two executors or a decider gave the committed result.
  // Otherwise requests a rollback of the job, if it is live.
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
