#include "tests/sim/failure_rules.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::sim {

void FailureRules::Note(const UnitId& unit, const std::string& executor, Trouble what) {
  ++trouble_[unit.job][unit][executor];
  if (what == Trouble::kNotFinite) ++not_finite_[unit.job][unit][executor];
  if (what == Trouble::kHung) ++audit_.report->hung;
}

void FailureRules::RecordKilled(const UnitId& unit, const std::string& executor, Instant now,
                                int64_t life) {
  constexpr size_t kInARow = 6;
  ++audit_.report->killed_at_units;
  Kills& kills = kills_[{executor, unit.job}];
  if (std::exchange(kills.life, life) != life) kills.last.clear();
  kills.last.push_back(now);
  if (kills.last.size() < kInARow) return;
  if (now - kills.last.front() < std::chrono::seconds(30))
    audit_.breach(absl::StrCat(executor, " is killed at units of ", unit.job, " without end"));
  kills.last.pop_front();
}

// Whether two executors had this trouble with a unit of the job, or one had it twice while no
// executor was able that had no trouble of any kind with the unit.
bool FailureRules::MayFail(const std::string& job, Times& times) const {
  return std::ranges::any_of(times[job], [&](const auto& unit) {
    const auto& executors = unit.second;
    if (executors.size() > 1) return true;
    const auto& [executor, count] = *executors.begin();
    std::set<std::string> had_trouble;
    for (const auto& [other, number] : trouble_.at(job).at(unit.first)) had_trouble.insert(other);
    return count > 1 && !audit_.other_is_able(job, had_trouble);
  });
}

bool FailureRules::HadTrouble(const UnitId& unit, const std::string& executor) const {
  const auto job = trouble_.find(unit.job);
  if (job == trouble_.end()) return false;
  const auto executors = job->second.find(unit);
  return executors != job->second.end() && executors->second.contains(executor);
}

void FailureRules::CheckBlamed(const master::Core& core) const {
  for (const auto& [id, job] : core.jobs()) {
    for (const auto& [index, unit] : job.units) {
      for (const master::UnitError& error : unit.errors) {
        if (error.hung || audit_.expected.suspects.contains(error.executor) ||
            HadTrouble(unit.id, error.executor))
          continue;
        return audit_.breach(absl::StrCat(error.executor, " is blamed for a failure at ",
                                          ToString(unit.id), ": ", DescribeError(error.error)));
      }
    }
  }
}

void FailureRules::Check(const std::string& job, const Json& record) {
  const std::string reason = record["reason"];
  const Expectations& expected = audit_.expected;
  audit_.report->not_finite += reason == "not_finite" ? 1 : 0;
  audit_.report->unit_failed += reason == "unit_failed" ? 1 : 0;
  // If an executor gives wrong results, an executor that resolves the dispute may be missing.
  const bool may = reason == "not_finite"    ? MayFail(job, not_finite_)
                   : reason == "unit_failed" ? MayFail(job, trouble_)
                   : reason == "storage" ? expected.disk_trouble || expected.rebinds.contains(job)
                   : reason == "replay_mismatch" || reason == "disagreement"
                       ? expected.lies || expected.rollbacks
                       : false;
  if (!may) audit_.breach(absl::StrCat(job, " failed: ", record["message"].get<std::string>()));
}

}  // namespace dl::sim
