// Who is there to compute: executors' sessions, whom nobody believes any more, and who brings
// nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "master/core/fleet/absences.h"
#include "master/core/fleet/quarantine.h"
#include "master/core/fleet/session.h"
#include "master/core/master_incarnation.h"
#include "master/core/master_step.h"

namespace dl::master {

class Fleet {
 public:
  // Names of parts and contributions that are kept of what all sessions say they hold.
  static constexpr int64_t kMaxHeld = 1 << 18;

  // Standings that are kept of executors that are not registered. Beyond it the longest absent
  // executor is forgotten.
  static constexpr size_t kMaxAbsentBackoffs = 4096;

  // `leaving`: executors that were told to leave, with their incarnations.
  Fleet(const MasterIncarnation& incarnation, CurrentStep& step, StoredQuarantine quarantine,
        std::map<std::string, uint64_t> leaving);

  // ---- sessions ----
  const std::map<uint64_t, Session>& sessions() const { return sessions_; }
  std::map<uint64_t, Session>& sessions() { return sessions_; }
  Session* Find(uint64_t id);
  const Session* Find(uint64_t id) const;
  const Session* FindNamed(const std::string& executor) const;
  // ResourceExhausted: there are as many sessions as there may be, in all or of the token. Denied:
  // the token lost its trust, and the name is new. `replaced` ends when `who` registers, and is not
  // counted; may be null.
  Status CheckRoomFor(const rpc::RegisterRequest& who, const Session* replaced) const;
  // REQUIRES: no session has the name.
  Session& Add(const rpc::RegisterRequest& who);
  void Remove(const Session& session);
  // The executor is to finish what it has and leave, also when its process registers again, or
  // at another master process. Durable.
  void LetLeave(Session& session);
  // The executor has said goodbye: its process is not expected again.
  void RecordGoodbye(const Session& session);
  // The session will be removed, and its executor did not say goodbye: it may register again.
  void RecordLoss(const Session& session);
  // Jobs whose units an earlier incarnation of this executor had under way when its session was
  // lost (Session::under_way), unless the master had told it to restart. Each is returned once.
  // Empty when this incarnation only lost its session. REQUIRES: called once for each registration.
  std::set<std::string> TakeInterrupted(const Session& session);
  // An executor that is not registered now may register again soon: the master has just started, or
  // one for which `counts` is true was lost a short time ago.
  bool OthersMayReturn(const std::function<bool(const std::string& executor)>& counts) const;
  // When the master no longer counts as just started.
  Instant JustStartedUntil() const;
  // Heard, or disconnected: when it is dropped unless it is heard again.
  void UpdateDeadline(Session& session);
  Instant FirstDue() const;             // when time alone changes something here
  const Session* FirstOverdue() const;  // null: none

  // ---- trust ----
  const std::set<std::string>& quarantined() const { return quarantine_.executors(); }
  bool IsQuarantined(const std::string& executor) const { return quarantine_.Contains(executor); }
  // Puts the executor into quarantine. `token`: Session::accountable_token of the session that gave
  // the wrong result. When the token loses its trust by this, only the names that are registered
  // with it now may use it further.
  // Returns false when the executor is in quarantine already. Durable.
  bool PutInQuarantine(const std::string& executor, const std::string& token);

  // ---- standing ----
  // REQUIRES: the executor is registered, or has a standing.
  Backoff& BackoffOf(const std::string& executor) { return backoffs_[executor]; }
  const Backoff* FindBackoff(const std::string& executor) const;
  size_t backoffs() const { return backoffs_.size(); }
  bool IsBackedOff(const std::string& executor) const;
  // It is set aside, not for the first time in a row: nothing waits for a result of it.
  bool IsUnreliable(const std::string& executor) const;
  // Why it is set aside, for people; empty when it is not.
  std::string BackoffReason(const std::string& executor) const;
  // REQUIRES: the executor is registered.
  bool Forget(const std::string& executor) { return backoffs_.erase(executor) > 0; }
  // Somebody was set aside or is not any more: when the next one comes back.
  void UpdateNextBackoffEnd();
  Instant next_backoff_end() const { return next_backoff_end_; }

  // Sessions that compute units of the job, in time that does not depend on how many there are.
  size_t EligibleExecutors(const Job& job) const;

 private:
  void CountEligible(const Session& session, int64_t change);
  void RecordAbsence(const std::string& executor);
  // The token has lost its trust: the names that are registered with it now may use it further.
  void KeepNamesOf(const std::string& token);
  // The executor is not told to leave any more. REQUIRES: it was.
  void StayAgain(const std::string& executor);
  static int64_t HeldBy(const rpc::RegisterRequest& who) {
    return static_cast<int64_t>(who.held_parts.size() + who.held_contributions.size());
  }

  const MasterIncarnation& incarnation_;
  CurrentStep& step_;
  uint64_t next_session_ = 1;
  std::map<uint64_t, Session> sessions_;
  std::map<std::string, uint64_t> names_;    // of executors: their sessions
  std::map<std::string, uint64_t> leaving_;  // executors that were told to leave: incarnations
  // Executors with a standing that are not registered, by the time since when.
  std::set<std::pair<Instant, std::string>> absent_backoffs_;
  std::map<std::string, int64_t> of_token_;  // sessions
  Absences absences_;
  int64_t held_ = 0;  // that all sessions said they hold, and is kept
  std::set<std::pair<Instant, uint64_t>> due_;
  Quarantine quarantine_;                    // executors whose results were the odd ones out
  std::map<std::string, Backoff> backoffs_;  // of executors that brought nothing of late
  Instant next_backoff_end_ = Instant::Max();
  // Sessions that are not quarantined, by contracts, labels, and memory for units.
  struct Kind {
    std::vector<std::string> contracts;
    LabelSet labels;
    auto operator<=>(const Kind&) const = default;
  };
  std::map<Kind, std::map<int64_t, int64_t>> eligible_;
};

}  // namespace dl::master
