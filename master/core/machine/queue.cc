#include "master/core/machine/queue.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"

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
                               " MiB of the master's memory, but the master may use only ",
                               incarnation_.options.memory_bytes >> 20, " MiB",
                               limit.empty() ? "" : " because of ", limit),
       .where = "training.workers",
       .remedy = "Use fewer workers or a smaller model, or start the master with a larger "
                 "--memory"});
}

std::vector<std::string> Queue::Order() const {
  std::map<std::string, int64_t> running;  // by owner
  for (const auto& [id, job] : jobs_.live()) {
    if (job.active()) ++running[job.record.owner];
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
    succeeded_at_ = step_.now;
    changed = true;
  }
}

void Queue::PersistAllAfter(const std::string& job) {
  std::erase_if(not_persisted_, [&](const auto& entry) {
    if (entry.second != job) return false;
    if (const auto live = jobs_.live().find(entry.first); live != jobs_.live().end())
      records_.PersistJob(live->second);
    return true;
  });
}

void Queue::PersistNextSuccessor() {
  const auto first = not_persisted_.begin();
  if (const auto live = jobs_.live().find(first->first); live != jobs_.live().end())
    records_.PersistJob(live->second);
  not_persisted_.erase(first);
}

Instant Queue::FirstDue() const { return not_persisted_.empty() ? Instant::Max() : succeeded_at_; }

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

}  // namespace dl::master
