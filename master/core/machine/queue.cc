#include "master/core/machine/queue.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/machine/machine.h"

namespace dl::master {

void Queue::Add(const Job& job) {
  waiting_.push_back(job.definition.id);
  changed = true;
}

void Queue::Remove(const Job& job) {
  std::erase(waiting_, job.definition.id);
  changed = true;
}

Status Queue::CheckFitsAlone(const JobDefinition& definition) const {
  const int64_t needed = definition.MasterBytes(incarnation_.options.staging_bytes);
  if (needed <= incarnation_.options.memory_bytes) return absl::OkStatus();
  const std::string& limit = incarnation_.options.memory_limit;
  return InvalidArgument(
      {.message = absl::StrCat("the job needs ", needed >> 20,
                               " MiB in the master, which has a budget of ",
                               incarnation_.options.memory_bytes >> 20, " MiB",
                               limit.empty() ? "" : " because of ", limit),
       .where = "training.workers",
       .remedy = "Use fewer workers or a smaller model, or start the master with a larger "
                 "--memory"});
}

std::vector<std::string> Queue::Order() const {
  std::map<std::string, int64_t> running;  // by owner
  for (const auto& [id, job] : jobs_.live()) {
    if (job.live()) ++running[job.record.owner];
  }
  // By priority, the highest first; then the jobs of each owner, the oldest first.
  std::map<int32_t, std::map<std::string, std::deque<size_t>>, std::greater<>> waiting;
  for (size_t i = 0; i < waiting_.size(); ++i) {
    const JobRecord& record = jobs_.At(waiting_[i]).record;
    waiting[record.scheduling.priority][record.owner].push_back(i);
  }
  std::vector<std::string> order;
  for (auto& [priority, owners] : waiting) {
    std::set<std::tuple<int64_t, size_t, std::string>> turns;
    const auto enter = [&](const std::string& owner, const std::deque<size_t>& jobs) {
      if (!jobs.empty()) turns.emplace(running[owner], jobs.front(), owner);
    };
    for (const auto& [owner, jobs] : owners) enter(owner, jobs);
    while (!turns.empty()) {
      const auto [has, first, owner] = *turns.begin();
      turns.erase(turns.begin());
      order.push_back(waiting_[first]);
      ++running[owner];
      owners.at(owner).pop_front();
      enter(owner, owners.at(owner));
    }
  }
  return order;
}

std::string Queue::JobThatKeeps(const Job& job, KeptFor keeps) const {
  for (const auto& [id, other] : jobs_.live()) {
    if (other.record.scheduling.after != job.definition.id) continue;
    if (keeps == KeptFor::kAllOwners || other.record.owner == job.record.owner) return id;
  }
  return "";
}

void Queue::PredecessorSucceeded(const std::string& job) {
  for (auto& [id, other] : jobs_.live()) {
    if (other.record.scheduling.after != job) continue;
    other.record.scheduling.after.clear();
    not_persisted_[id] = job;
    goes_on_ = step_.now;
    changed = true;
  }
}

void Queue::PersistAllAfter(const std::string& job) {
  std::erase_if(not_persisted_, [&](const auto& entry) {
    if (entry.second != job) return false;
    if (const auto live = jobs_.live().find(entry.first); live != jobs_.live().end())
      machine_.lifecycle.PersistJob(live->second);
    return true;
  });
}

void Queue::PersistSomePredecessors() {
  while (!not_persisted_.empty() && MayChangeState()) {
    const auto first = not_persisted_.begin();
    if (const auto live = jobs_.live().find(first->first); live != jobs_.live().end())
      machine_.lifecycle.PersistJob(live->second);
    not_persisted_.erase(first);
  }
}

std::optional<QueueView> Queue::ViewPlace(const Job& job) const {
  constexpr size_t kMostNamed = 10;
  if (job.record.state != JobState::kQueued) return std::nullopt;
  const std::vector<std::string> order = Order();
  const auto at = std::ranges::find(order, job.definition.id);
  if (at == order.end()) return std::nullopt;
  const auto ahead = static_cast<size_t>(at - order.begin());
  return QueueView{.position = static_cast<int64_t>(ahead) + 1,
                   .ahead = {order.begin(), order.begin() + std::min(ahead, kMostNamed)}};
}

// Returns why the job named by `after` keeps this job waiting.
BlockedReason Queue::QueueBlockedReason(const Job& job) const {
  const std::string& after = job.record.scheduling.after;
  if (after.empty()) return {};
  if (jobs_.live().contains(after) && !IsTerminal(jobs_.At(after).record.state))
    return {Reason::kWaitingForDependency,
            absl::StrCat("it begins when ", after, " has SUCCEEDED")};
  return {Reason::kWaitingForDependency,
          absl::StrCat("it begins when ", after,
                       " has SUCCEEDED, and that one has ended otherwise or is deleted: resume it "
                       "(dl-submit resume ",
                       after, "), or cancel this one")};
}

void Queue::MarkFleetChanged() {
  changed = true;
  if (round_is_over_) {
    unbound_.clear();
    round_is_over_ = false;
  } else {
    another_round_ = true;
  }
}

void Queue::ProcessDueTimers() {
  work_left_ = {};
  if (step_.came >= decided_) {
    decided_ = Instant::Max();
    MarkFleetChanged();
  }
  if (step_.now < goes_on_) return;
  goes_on_ = Instant::Max();
  changed = true;
  PersistSomePredecessors();
}

void Queue::EndRound() {
  round_is_over_ = true;
  if (!std::exchange(another_round_, false)) return;
  unbound_.clear();
  round_is_over_ = false;
  goes_on_ = step_.now;
}

bool Queue::MayChangeState() {
  if (work_left_.changes-- > 0) return true;
  goes_on_ = step_.now;
  return false;
}

// A job that waits for executors does not count, so that it delays no other job.
void Queue::Count(const Job& job, Used& used) const {
  if (!job.live()) return;
  if (!machine_.waiting.LacksExecutors(job)) ++used.running;
  used.memory += job.definition.MasterBytes(incarnation_.options.staging_bytes);
}

std::optional<BlockedReason> Queue::ReasonWithoutContract(Job& job) {
  if (!job.record.contract.empty()) return BlockedReason{};
  Question question{
      .isa = job.WantedIsa(), .needs = job.needs, .unit_bytes = job.definition.unit_bytes};
  if (const auto asked = unbound_.find(question); asked != unbound_.end()) return asked->second;
  // Number per session in Contracts::Bind and Eligibility::ReasonWithoutContract.
  constexpr int64_t kLooksOfAQuestion = 12;
  if (work_left_.looks <= 0) {
    goes_on_ = step_.now;
    return std::nullopt;
  }
  work_left_.looks -= kLooksOfAQuestion * static_cast<int64_t>(fleet_.sessions().size());
  if (machine_.contracts.Bind(job)) return BlockedReason{};
  for (const auto& [id, session] : fleet_.sessions()) {
    const Instant decided = eligibility_.ContractDecidedAt(session.joined);
    if (decided > step_.came) decided_ = std::min(decided_, decided);
  }
  return unbound_.emplace(std::move(question), eligibility_.ReasonWithoutContract(job))
      .first->second;
}

std::optional<BlockedReason> Queue::StartBlockedReason(Job& job, const Used& used,
                                                       const Status& fits) {
  const std::string& id = job.definition.id;
  if (BlockedReason blocked = QueueBlockedReason(job); blocked.reason != Reason::kNone)
    return blocked;
  if (!fits.ok()) {
    return BlockedReason{Reason::kWaitingForMemory,
                         absl::StrCat(std::string(fits.message()),
                                      ": it goes on under a master with a larger --memory")};
  }
  if (used.running >= incarnation_.options.max_running_jobs) {
    return BlockedReason{
        Reason::kWaitingForJobs,
        absl::StrCat(used.running,
                     " jobs run, as many as may at a time; what is ahead of it: dl-submit status ",
                     id)};
  }
  if (used.memory > 0 &&
      used.memory + job.definition.MasterBytes(incarnation_.options.staging_bytes) >
          incarnation_.options.memory_bytes) {
    return BlockedReason{Reason::kWaitingForMemory,
                         "the running jobs use the master's memory budget"};
  }
  return ReasonWithoutContract(job);
}

void Queue::StartQueuedJobs() {
  if (incarnation_.stopping || waiting_.empty()) return EndRound();
  Used used;
  for (const auto& [id, job] : jobs_.live()) Count(job, used);
  bool all_asked = true;
  for (const std::string& id : Order()) {
    Job& job = jobs_.At(id);
    const Status fits = CheckFitsAlone(job.definition);
    if (!fits.ok() && job.log.committed < 0) {
      if (!MayChangeState()) continue;
      std::erase(waiting_, id);
      machine_.lifecycle.End(job, JobState::kRejected, Reason::kTooLarge, fits);
      continue;
    }
    const std::optional<BlockedReason> blocked = StartBlockedReason(job, used, fits);
    all_asked &= blocked.has_value();
    if (!blocked) continue;
    if (blocked->reason == Reason::kNone) {
      std::erase(waiting_, id);
      machine_.lifecycle.StartJob(job);
      Count(job, used);
      continue;
    }
    const bool changes = blocked->reason == Reason::kWaitingForLargerExecutors ||
                         blocked->reason == Reason::kWaitingForDependency;
    if (job.record.reason == blocked->reason && !changes) continue;
    if (job.record.reason == blocked->reason && job.record.message == blocked->message) continue;
    if (MayChangeState()) machine_.waiting.WaitFor(job, JobState::kQueued, *blocked);
  }
  if (all_asked) EndRound();
}

}  // namespace dl::master
