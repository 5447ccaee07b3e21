#include "master/core/fleet/fleet.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "master/core/fleet/eligibility.h"
#include "master/core/record_keys.h"
#include "nn/conf/contract_id.h"

namespace dl::master {

Fleet::Fleet(const MasterIncarnation& incarnation, CurrentStep& step, StoredQuarantine quarantine,
             std::map<std::string, uint64_t> leaving)
    : incarnation_(incarnation),
      step_(step),
      leaving_(std::move(leaving)),
      quarantine_(std::move(quarantine)) {}

Session* Fleet::Find(uint64_t id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

const Session* Fleet::Find(uint64_t id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

const Session* Fleet::FindNamed(const std::string& executor) const {
  const auto named = names_.find(executor);
  return named == names_.end() ? nullptr : &sessions_.at(named->second);
}

Status Fleet::CheckRoomFor(const rpc::RegisterRequest& who, const Session* replaced) const {
  DL_RETURN_IF_ERROR(quarantine_.CheckName(who.executor, who.token));
  const auto found = of_token_.find(who.token);
  int64_t of_token = found == of_token_.end() ? 0 : found->second;
  auto all = static_cast<int64_t>(sessions_.size());
  if (replaced != nullptr) {
    --all;
    if (replaced->who.token == who.token) --of_token;
  }
  if (of_token >= limits::kMaxSessionsOfToken) {
    return rpc::AttachRemedy(
        ResourceExhausted({.message = absl::StrCat("the token ", who.token, " has ", of_token,
                                                   " executors, which is the limit of one token"),
                           .where = who.executor}),
        {.kind = rpc::RemedyKind::kDivideToken});
  }
  if (all >= limits::kMaxSessions) {
    return ResourceExhausted(
        {.message = absl::StrCat("the master has ", all, " executors, which is its limit"),
         .where = who.executor,
         .remedy = "Start fewer executors, with more --slots each"});
  }
  return absl::OkStatus();
}

Session& Fleet::Add(const rpc::RegisterRequest& who) {
  const uint64_t id = incarnation_.Numbered(next_session_++);
  Session& session = sessions_[id];
  session.id = id;
  session.who = who;
  session.labels = LabelSet(who.labels);
  if (!who.is_of_admin) session.accountable_token = who.token;
  // The same process is told to leave again when it registers again. A later process is not.
  if (const auto told = leaving_.find(who.executor); told != leaving_.end()) {
    session.drain = told->second == who.incarnation;
    if (!session.drain) StayAgain(told->first);
  }
  if (const auto backoff = backoffs_.find(who.executor); backoff != backoffs_.end())
    absent_backoffs_.erase({backoff->second.absent_since, who.executor});
  session.who.crashed.clear();  // used only once
  // Knowing what executors hold saves work, but no result depends on it.
  if (held_ + HeldBy(who) > kMaxHeld) {
    session.forgot_held = true;
    session.who.held_parts = {};
    session.who.held_contributions = {};
  }
  held_ += HeldBy(session.who);
  session.joined = session.last_heard = step_.now;
  DL_CHECK(names_.emplace(who.executor, id).second);
  if (!IsQuarantined(who.executor)) CountEligible(session, 1);
  ++of_token_[who.token];
  session.silence_limit = incarnation_.options.session_timeout;
  UpdateDeadline(session);
  step_.Do(SessionBegan{id, who.holder, who.executor});
  return session;
}

std::set<std::string> Fleet::TakeInterrupted(Session& session) {
  Absence absence = absences_.Take(session.who.executor);
  if (session.who.incarnation == absence.incarnation) session.under_way = std::move(absence.jobs);
  return session.who.incarnation > absence.incarnation ? std::move(absence.jobs)
                                                       : std::set<std::string>{};
}

Instant Fleet::JustStartedUntil() const {
  // In local[N] no other executor will ever register.
  return incarnation_.options.executors_can_restart
             ? incarnation_.began + incarnation_.options.return_grace
             : incarnation_.began;
}

bool Fleet::OthersMayReturn(const std::function<bool(const std::string& executor)>& counts) const {
  return step_.came < JustStartedUntil() ||
         absences_.AnySince(step_.came - incarnation_.options.return_grace, counts);
}

void Fleet::RecordLoss(const Session& session) {
  ++losses_;
  absences_.Add(session.who.executor,
                {.since = step_.now,
                 .incarnation = session.who.incarnation,
                 .jobs = session.restart ? std::set<std::string>{} : session.under_way});
}

void Fleet::Remove(const Session& session) {
  names_.erase(session.who.executor);
  held_ -= HeldBy(session.who);
  if (!IsQuarantined(session.who.executor)) CountEligible(session, -1);
  due_.erase({session.due, session.id});
  if (auto token = of_token_.find(session.who.token); --token->second == 0) of_token_.erase(token);
  step_.Do(SessionEnded{session.id});
  RecordAbsence(session.who.executor);
  sessions_.erase(session.id);
}

void Fleet::RecordAbsence(const std::string& executor) {
  const auto backoff = backoffs_.find(executor);
  if (backoff == backoffs_.end()) return;
  backoff->second.absent_since = step_.now;
  absent_backoffs_.emplace(step_.now, executor);
  if (absent_backoffs_.size() <= kMaxAbsentBackoffs) return;
  backoffs_.erase(absent_backoffs_.begin()->second);
  absent_backoffs_.erase(absent_backoffs_.begin());
}

void Fleet::LetLeave(Session& session) {
  session.drain = true;
  leaving_[session.who.executor] = session.who.incarnation;
  step_.batch().Put(keys::Leaving(session.who.executor), absl::StrCat(session.who.incarnation));
  // A machine that was told to leave and lost its power never says goodbye.
  if (leaving_.size() <= sessions_.size() + kMaxAbsentBackoffs) return;
  for (const auto& [executor, incarnation] : leaving_) {
    if (!names_.contains(executor)) return StayAgain(executor);
  }
}

void Fleet::RecordGoodbye(const Session& session) {
  if (session.drain) StayAgain(session.who.executor);
}

void Fleet::StayAgain(const std::string& executor) {
  step_.batch().Delete(keys::Leaving(executor));
  leaving_.erase(leaving_.find(executor));
}

const Backoff* Fleet::FindBackoff(const std::string& executor) const {
  const auto found = backoffs_.find(executor);
  return found == backoffs_.end() ? nullptr : &found->second;
}

void Fleet::UpdateDeadline(Session& session) {
  Instant due = session.last_heard + session.silence_limit;
  if (session.disconnected_at)
    due = std::min(due, *session.disconnected_at + incarnation_.options.lost_after_disconnect);
  if (due == session.due) return;
  due_.erase({session.due, session.id});
  due_.emplace(due, session.id);
  session.due = due;
}

void Fleet::AllowSilence(Session& session, Duration lease) {
  if (lease <= session.silence_limit) return;
  session.silence_limit = lease;
  UpdateDeadline(session);
}

Instant Fleet::FirstDue() const {
  return std::min(next_backoff_end_, due_.empty() ? Instant::Max() : due_.begin()->first);
}

const Session* Fleet::FirstOverdue() const {
  if (due_.empty() || due_.begin()->first > step_.came) return nullptr;
  return &sessions_.at(due_.begin()->second);
}

bool Fleet::PutInQuarantine(const std::string& executor, const std::string& token) {
  const bool trusted = !quarantine_.Distrusts(token);
  if (!quarantine_.Add(executor, token)) return false;
  if (const Session* session = FindNamed(executor)) CountEligible(*session, -1);
  step_.batch().Put(keys::Quarantined(executor), token);
  if (trusted && quarantine_.Distrusts(token)) KeepNamesOf(token);
  return true;
}

void Fleet::KeepNamesOf(const std::string& token) {
  for (const auto& [id, session] : sessions_) {
    if (session.who.token != token) continue;
    quarantine_.RecordKnown(session.who.executor, token);
    step_.batch().Put(keys::KnownOfToken(token, session.who.executor), "");
  }
  step_.WriteLog(absl::StrCat(
      "token ", token, " takes no executors with new names any more: ", Quarantine::kMostOfToken,
      " executors that used it gave wrong results"));
}

bool Fleet::IsBackedOff(const std::string& executor) const {
  const auto found = backoffs_.find(executor);
  return found != backoffs_.end() && step_.came < found->second.until;
}

bool Fleet::IsUnreliable(const std::string& executor) const {
  return IsBackedOff(executor) && backoffs_.at(executor).times_in_a_row >= 2;
}

bool Fleet::PrecedesBackoff(const Attempt& attempt) const {
  const Backoff* const backoff = FindBackoff(attempt.executor);
  return backoff != nullptr && attempt.began < backoff->began;
}

std::string Fleet::BackoffReason(const std::string& executor) const {
  return IsBackedOff(executor) ? backoffs_.at(executor).reason : "";
}

void Fleet::UpdateNextBackoffEnd() {
  next_backoff_end_ = Instant::Max();
  for (const auto& [executor, backoff] : backoffs_) {
    if (backoff.until > step_.came) next_backoff_end_ = std::min(next_backoff_end_, backoff.until);
  }
}

size_t Fleet::EligibleExecutors(const Job& job) const {
  int64_t sessions = 0;
  for (const auto& [kind, by_memory] : eligible_) {
    const bool any = std::ranges::any_of(kind.contracts, [&](const std::string& contract) {
      return nn::OffersContract(contract, job.record.contract);
    });
    if (!any || !Eligibility::HasLabels(kind.labels, job)) continue;
    for (auto it = by_memory.lower_bound(job.definition.unit_bytes); it != by_memory.end(); ++it)
      sessions += it->second;
  }
  return static_cast<size_t>(sessions);
}

void Fleet::CountEligible(const Session& session, int64_t change) {
  const int64_t memory = Eligibility::MemoryOf(session);
  Kind kind{.labels = session.labels};
  for (const rpc::OfferedContract& offered : session.who.contracts)
    kind.contracts.push_back(offered.contract);
  auto& by_memory = eligible_[kind];
  int64_t& sessions = by_memory[memory];
  sessions += change;
  if (sessions == 0) by_memory.erase(memory);
  if (by_memory.empty()) eligible_.erase(kind);
}

}  // namespace dl::master
