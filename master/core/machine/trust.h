// Whom the master believes: disputes, quarantine, and going back behind what nobody confirmed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Trust : public Component {
 public:
  using Component::Component;

  // Voters that are no executors: the commit of a round that is computed again, and whoever
  // computed a unit in an earlier life of the master.
  static constexpr std::string_view kCommitted = "the commit";
  static constexpr std::string_view kUnknownExecutor = "an executor of earlier";

  void OpenDispute(Job& job, const Unit& unit);
  std::optional<uint64_t> SettleDispute(Job& job, Unit& unit);
  void QuarantineSoleNanReporter(Job& job, const Unit& unit);
  // `token`: Session::accountable_token of the session that gave the wrong result.
  void Quarantine(const std::string& executor, const std::string& token);
  // Notes of a round that is committed which results one executor gave alone, and which are
  // confirmed; durable, because a quarantine may come in a later life of the master.
  void RecordConfirmations(Job& job, int64_t round);
  // A new job's source may rest on the word of executors that are quarantined, or be set aside.
  void RecordSource(Job& job);
  // Whether a quarantine discards the job's rounds that rest on unconfirmed results of the
  // executor.
  static bool RollsBackOnQuarantine(const Job& job);
  void PersistUnverified(Job& job);
  struct GoingBack {
    int64_t to = 0;  // the last round that counts
    std::map<UnitId, std::vector<UnitResult>> votes;
    std::string why;  // empty: whose results the rounds rest on
  };
  void GoBack(Job& job, GoingBack back);
  void CompareWithCommit(Job& job, Session& session, const Announcement& announcement);
  Status CheckTrust(const Job& job) const;

 private:
  void ForgetRoundsAfter(Job& job, int64_t round);
  void WarnOfRounds(Job& job, const std::string& executor, int64_t since);
  void WarnOfSource(Job& job, const std::string& executor);
  void Contradict(Job& job, const Session& session, const Announcement& announcement,
                  const CommittedUnit& committed);
};

}  // namespace dl::master
