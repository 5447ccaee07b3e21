#include "master/core/machine/queue.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>

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

Status Queue::FitsAlone(const JobDefinition& definition) const {
  const int64_t needed = definition.MasterBytes(life_.options.staging_bytes);
  if (needed <= life_.options.memory_bytes) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("the job needs ", needed >> 20,
                               " MiB in the master, which has a budget of ",
                               life_.options.memory_bytes >> 20, " MiB"),
       .where = "training.workers",
       .remedy = "Use fewer workers or a smaller model, or start the master with a larger "
                 "--memory"});
}

std::vector<std::string> Queue::Order() const {
  std::map<std::string, int64_t> running;  // by owner
  for (const auto& [id, job] : jobs_.live()) {
    if (job.live()) ++running[job.record.owner];
  }
  // By priority, the highest first; then of each owner, the oldest first.
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

std::string Queue::WaitsFor(const std::string& job) const {
  for (const auto& [id, other] : jobs_.live()) {
    if (other.record.scheduling.after == job) return id;
  }
  return "";
}

void Queue::PredecessorSucceeded(const std::string& job) {
  for (auto& [id, other] : jobs_.live()) {
    if (other.record.scheduling.after != job) continue;
    other.record.scheduling.after.clear();
    machine_.lifecycle.PersistJob(other);
    changed = true;
  }
}

Json Queue::PlaceOf(const Job& job) const {
  constexpr size_t kMostNamed = 10;
  const std::vector<std::string> order = Order();
  const auto at = std::find(order.begin(), order.end(), job.definition.id);
  if (at == order.end()) return nullptr;
  const auto ahead = static_cast<size_t>(at - order.begin());
  return {{"position", ahead + 1},
          {"ahead",
           std::vector<std::string>(
               order.begin(), order.begin() + static_cast<int64_t>(std::min(ahead, kMostNamed)))}};
}

// Of the job that it begins after.
Lack Queue::WhyNotYet(const Job& job) const {
  const std::string& after = job.record.scheduling.after;
  if (after.empty()) return {};
  if (jobs_.live().contains(after) && !IsTerminal(jobs_.At(after).record.state))
    return {Reason::kWaitingForDependency,
            absl::StrCat("it begins when ", after, " has SUCCEEDED")};
  return {Reason::kWaitingForDependency,
          absl::StrCat("it begins when ", after,
                       " has SUCCEEDED, and that one has ended otherwise: resume it (dl-submit "
                       "resume ",
                       after, "), or cancel this one")};
}

void Queue::StartQueuedJobs() {
  due = Instant::Max();
  if (life_.stopping || waiting_.empty()) return;
  // A job that waits for its executors does not hold up the ones behind it.
  int64_t running = 0, memory = 0;
  const auto count = [&](const Job& job) {
    if (!job.live()) return;
    if (!machine_.waiting.LacksExecutors(job)) ++running;
    memory += job.definition.MasterBytes(life_.options.staging_bytes);
  };
  for (const auto& [id, job] : jobs_.live()) count(job);
  for (const std::string& id : Order()) {
    Job& job = jobs_.At(id);
    const Status fits = FitsAlone(job.definition);
    if (!fits.ok() && job.log.committed < 0) {
      std::erase(waiting_, id);
      machine_.lifecycle.End(job, JobState::kRejected, Reason::kTooLarge, fits);
      continue;
    }
    Lack lack = WhyNotYet(job);
    if (lack.reason != Reason::kNone) {
      // Nothing else matters yet.
    } else if (!fits.ok()) {
      lack = {Reason::kWaitingForMemory,
              absl::StrCat(std::string(fits.message()),
                           ": it goes on under a master with a larger --memory")};
    } else if (running >= life_.options.max_running_jobs) {
      lack = {
          Reason::kWaitingForJobs,
          absl::StrCat(
              running,
              " jobs run, as many as may at a time; what is ahead of it: dl-submit status ", id)};
    } else if (memory > 0 && memory + job.definition.MasterBytes(life_.options.staging_bytes) >
                                 life_.options.memory_bytes) {
      lack = {Reason::kWaitingForMemory, "the running jobs use the master's memory budget"};
    } else if (!machine_.contracts.Bind(job)) {
      lack = offers_.WhyUnbound(job);
      for (const auto& [session_id, session] : fleet_.sessions()) {
        const Instant decided = offers_.ContractDecidedAt(session.joined);
        if (decided > step_.came) due = std::min(due, decided);
      }
    }
    if (lack.reason != Reason::kNone) {
      const bool changes = lack.reason == Reason::kWaitingForLargerExecutors ||
                           lack.reason == Reason::kWaitingForDependency;
      if (job.record.reason != lack.reason || changes)
        machine_.waiting.WaitFor(job, JobState::kQueued, lack);
      continue;
    }
    std::erase(waiting_, id);
    machine_.lifecycle.StartJob(job);
    count(job);
  }
}

}  // namespace dl::master
