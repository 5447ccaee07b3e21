// The registered executors: sessions, quarantined executors, and executors that are backed off. Not
// thread-safe: used on the core's thread.
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
  // Limit of the held parts and contributions that are remembered for all sessions together. A
  // session that would exceed it is registered without them (Session::forgot_held).
  static constexpr int64_t kMaxHeld = 1 << 18;

  // Limit of entries (Backoff) of executors that are not registered. Beyond it, the entry of the
  // executor that has been absent longest is dropped.
  static constexpr size_t kMaxAbsentBackoffs = 4096;

  // `leaving`: incarnations of executors that were told to leave, by name.
  Fleet(const MasterIncarnation& incarnation, CurrentStep& step, StoredQuarantine quarantine,
        std::map<std::string, uint64_t> leaving);

  // ---- sessions ----
  const std::map<uint64_t, Session>& sessions() const { return sessions_; }
  std::map<uint64_t, Session>& sessions() { return sessions_; }
  // Return the session with this id or name; null if there is none.
  Session* Find(uint64_t id);
  const Session* Find(uint64_t id) const;
  const Session* FindNamed(const std::string& executor) const;
  // Returns ResourceExhausted if the limit of all sessions, or of the token's sessions, is reached.
  // Returns Denied if the token has lost its trust and the name is new. `replaced` ends when `who`
  // registers and is not counted; may be null.
  Status CheckRoomFor(const rpc::RegisterRequest& who, const Session* replaced) const;
  // Begins a session of the executor, with a new id. An executor that was told to leave is told
  // again, if this is the same process. REQUIRES: no session has the name.
  Session& Add(const rpc::RegisterRequest& who);
  void Remove(const Session& session);  // references to the session become invalid
  // Lets the executor finish its units and leave. Also applies if its process registers again, with
  // this or a later master process. Durable; beyond a limit, absent executors are forgotten.
  void LetLeave(Session& session);
  // The executor has said goodbye. Forgets that its process was told to leave. Durable.
  void RecordGoodbye(const Session& session);
  // Records that the session will be removed without a goodbye, so its executor may register again
  // (OthersMayReturn, TakeInterrupted).
  void RecordLoss(const Session& session);
  int64_t losses() const { return losses_; }  // calls of RecordLoss since the master's start
  // Returns the jobs whose units an earlier incarnation of this executor was computing when its
  // session was lost (Session::under_way). Returns none if that incarnation had been told to
  // restart, or if the lost session was of this or a later incarnation. If it was of this
  // incarnation, its jobs are under way in the new session. A second call for the same loss returns
  // none. REQUIRES: called once for each registration.
  std::set<std::string> TakeInterrupted(Session& session);
  // Whether an executor that is not registered may register again soon. It may if the master has
  // just started, or if an executor for which `counts` is true was lost within
  // CoreOptions::return_grace.
  bool OthersMayReturn(const std::function<bool(const std::string& executor)>& counts) const;
  // Returns when the master no longer counts as just started: at its start if executors cannot
  // restart (local[N]).
  Instant JustStartedUntil() const;
  // Updates the time at which the session is dropped unless a heartbeat arrives. Must be called
  // after a heartbeat or a disconnection.
  void UpdateDeadline(Session& session);
  // Raises the session's silence_limit to the lease of a unit that its executor gets or has.
  void AllowSilence(Session& session, Duration lease);
  Instant FirstDue() const;             // earliest deadline in this class
  const Session* FirstOverdue() const;  // a session to be dropped, or null

  // ---- trust ----
  const std::set<std::string>& quarantined() const { return quarantine_.executors(); }
  bool IsQuarantined(const std::string& executor) const { return quarantine_.Contains(executor); }
  // Quarantines the executor. `token` is the Session::accountable_token of the session that gave
  // the wrong result. If the token thereby loses its trust, only the names that are registered with
  // it now may use it. Returns false if the executor is already quarantined. Durable.
  bool PutInQuarantine(const std::string& executor, const std::string& token);

  // ---- backoffs ----
  // Returns the executor's entry, and adds one if there is none. REQUIRES: the executor is
  // registered or has an entry.
  Backoff& BackoffOf(const std::string& executor) { return backoffs_[executor]; }
  const Backoff* FindBackoff(const std::string& executor) const;
  size_t backoffs() const { return backoffs_.size(); }  // number of entries
  bool IsBackedOff(const std::string& executor) const;
  // Whether it is backed off for at least the second time in a row, so that nothing waits for it.
  bool IsUnreliable(const std::string& executor) const;
  // Whether the attempt began before the executor's last backoff. Its failure then does not count
  // again, because slots and deliveries of an executor fail together.
  bool PrecedesBackoff(const Attempt& attempt) const;
  // Returns the reason of the backoff, for people; empty if it is not backed off.
  std::string BackoffReason(const std::string& executor) const;
  // Removes the executor's Backoff. Returns whether it had one. REQUIRES: the executor is
  // registered.
  bool Forget(const std::string& executor) { return backoffs_.erase(executor) > 0; }
  // Updates next_backoff_end() after a backoff began or ended.
  void UpdateNextBackoffEnd();
  // Returns when the first backoff ends; Instant::Max() if no executor is backed off.
  Instant next_backoff_end() const { return next_backoff_end_; }

  // Returns the number of sessions that are eligible for the job (Eligibility). Sessions that are
  // backed off, leaving or disconnected count. Its time depends on the number of different kinds of
  // executors and not on the number of sessions.
  size_t EligibleExecutors(const Job& job) const;

 private:
  void CountEligible(const Session& session, int64_t change);
  void RecordAbsence(const std::string& executor);
  // The token has lost its trust. Lets the names that are registered with it keep using it.
  void KeepNamesOf(const std::string& token);
  // Revokes that the executor was told to leave. REQUIRES: it was.
  void StayAgain(const std::string& executor);
  static int64_t HeldBy(const rpc::RegisterRequest& who) {
    return static_cast<int64_t>(who.held_parts.size() + who.held_contributions.size());
  }

  const MasterIncarnation& incarnation_;
  CurrentStep& step_;
  uint64_t next_session_ = 1;
  std::map<uint64_t, Session> sessions_;
  std::map<std::string, uint64_t> names_;    // session of each executor
  std::map<std::string, uint64_t> leaving_;  // incarnations of executors that were told to leave
  // Executors that are not registered and have an entry, by the start of their absence.
  std::set<std::pair<Instant, std::string>> absent_backoffs_;
  std::map<std::string, int64_t> of_token_;  // number of sessions by token
  Absences absences_;
  int64_t losses_ = 0;
  int64_t held_ = 0;  // number of remembered parts and contributions that sessions hold
  std::set<std::pair<Instant, uint64_t>> due_;
  Quarantine quarantine_;  // executors that gave wrong results
  // Entries of executors that failed, crashed or were overtaken and have not delivered a result
  // since. Not each of them is backed off.
  std::map<std::string, Backoff> backoffs_;
  Instant next_backoff_end_ = Instant::Max();
  // Number of sessions that are not quarantined, by contracts, labels and memory for units.
  struct Kind {
    std::vector<std::string> contracts;
    LabelSet labels;
    auto operator<=>(const Kind&) const = default;
  };
  std::map<Kind, std::map<int64_t, int64_t>> eligible_;
};

}  // namespace dl::master
