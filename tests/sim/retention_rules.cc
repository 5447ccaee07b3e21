#include "tests/sim/retention_rules.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "master/core/job/job.h"
#include "master/core/record_keys.h"

namespace dl::sim {
namespace {

int64_t Milliseconds(Duration time) { return time / std::chrono::milliseconds(1); }

}  // namespace

void RetentionRules::Written(const storage::MetaBatch& batch) {
  for (const storage::MetaBatch::Change& change : batch.changes()) {
    const std::string& key = change.key;
    const size_t begin = key.find('/') + 1;
    if (key.starts_with(master::keys::kJobPrefix)) {
      if (change.value) {
        Written(key.substr(begin), *change.value);
      } else {
        Deleted(key.substr(begin));
      }
    } else if (key.starts_with(master::keys::kCheckpointPrefix)) {
      const auto job = jobs_.find(key.substr(begin, key.find('/', begin) - begin));
      if (job != jobs_.end()) job->second.changed = Clock::Real().Now();
    }
  }
}

void RetentionRules::Written(const std::string& id, const std::string& record) {
  const Json json = Json::parse(record);
  master::JobState state{};
  jobs_[id] = {.has_ended = master::ParseJobState(json["state"].get<std::string>(), state) &&
                            master::IsTerminal(state),
               .ended_unix_ms = json.value("ended_unix_ms", int64_t{0}),
               .changed = Clock::Real().Now()};
}

void RetentionRules::Deleted(const std::string& id) {
  const auto job = jobs_.extract(id);
  if (job.empty() || actions_.WasDeletedByUser(id)) return;
  const int64_t now = Clock::Real().WallUnixMs() - audit_.wall_clock_error_ms;
  const bool by_age =
      kept.time > Duration::zero() && now - job.mapped().ended_unix_ms >= Milliseconds(kept.time);
  const bool by_number = kept.jobs > 0 && static_cast<int64_t>(jobs_.size()) >= kept.jobs;
  if (!by_age && !by_number)
    audit_.breach(absl::StrCat("retention deletes ", id, ", which ended ",
                               now - job.mapped().ended_unix_ms, " ms ago"));
  if (!by_age) CheckOrder(id, job.mapped());
}

void RetentionRules::CheckOrder(const std::string& id, const Job& deleted) const {
  // Retention may have read the older job before its last change.
  constexpr Duration kOld = std::chrono::seconds(20);
  for (const auto& [other, job] : jobs_) {
    if (!job.has_ended || job.ended_unix_ms >= deleted.ended_unix_ms) continue;
    if (Clock::Real().Now() - job.changed > kOld && MayGo(other))
      return audit_.breach(
          absl::StrCat("retention deletes ", id, " and keeps ", other, ", which ended before it"));
  }
}

bool RetentionRules::MayGo(const std::string& id) const {
  return !actions_.HasPinned(id) && std::ranges::none_of(ledger_.jobs(), [&](const auto& other) {
    return !other.second.deleted && other.second.state != "SUCCEEDED" &&
           other.second.source.starts_with(id + "@");
  });
}

void RetentionRules::CheckSettled() const {
  constexpr Duration kLate = std::chrono::seconds(5);
  const int64_t now = Clock::Real().WallUnixMs();
  std::vector<std::pair<int64_t, std::string>> counted;  // by the time of their end
  for (const auto& [id, job] : jobs_) {
    if (!job.has_ended) continue;
    if (!actions_.HasPinned(id)) counted.emplace_back(job.ended_unix_ms, id);
    if (!MayGo(id)) continue;
    if (kept.time > Duration::zero() && now - job.ended_unix_ms > Milliseconds(kept.time + kLate)) {
      return audit_.breach(absl::StrCat("retention keeps ", id, ", which ended ",
                                        now - job.ended_unix_ms, " ms ago"));
    }
  }
  std::ranges::sort(counted, std::greater());
  for (size_t i = static_cast<size_t>(kept.jobs); kept.jobs > 0 && i < counted.size(); ++i) {
    // Retention may keep any of the jobs that ended at the same time.
    if (counted[i].first < counted[i - 1].first && MayGo(counted[i].second)) {
      return audit_.breach(absl::StrCat("retention keeps ", counted.size(), " jobs, among them ",
                                        counted[i].second));
    }
  }
}

}  // namespace dl::sim
