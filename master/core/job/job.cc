#include "master/core/job/job.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace dl::master {

void Affinity::Set(int32_t worker, const std::string& executor) {
  std::string& last = last_executor[worker];
  if (last == executor) return;
  if (const auto old = of.find(last); old != of.end()) {
    old->second.erase(worker);
    if (old->second.empty()) of.erase(old);
  }
  last = executor;
  of[executor].insert(worker);
  unassigned.erase(worker);
}

bool Attestations::IsIndependentEvidence(const UnitResult& result, const std::string& executor,
                                         int64_t round) const {
  return result.of_the_past ? !MayRestOn(executor, round) : result.executor != executor;
}

bool Attestations::MayRestOn(const std::string& executor, int64_t round) const {
  const auto first = unverified_first.find(executor);
  return first != unverified_first.end() && first->second <= round;
}

void Attestations::RecordUnconfirmed(const std::string& executor, int64_t round) {
  const auto [first, is_new] = unverified_first.try_emplace(executor, round);
  if (is_new || round < first->second) {
    first->second = round;  // earlier only after a rollback
    unverified_changed = true;
  }
  if (unverified_since.try_emplace(executor, round).second) {
    confirmations.erase(executor);
    unverified_changed = true;
    return;
  }
  int64_t& next = confirmations[executor].next_since;
  if (next == 0) next = round;
}

void Attestations::RecordConfirmed(const std::string& executor, int results) {
  const auto since = unverified_since.find(executor);
  if (since == unverified_since.end()) return;
  Confirmations& counted = confirmations[executor];
  counted.results += results;
  if (counted.results < kConfirmationsOfHorizon) return;
  if (counted.next_since > 0) {
    since->second = counted.next_since;
  } else {
    unverified_since.erase(since);
  }
  confirmations.erase(executor);
  unverified_changed = true;
}

void Attestations::ForgetAbsent(
    const std::function<bool(const std::string& executor)>& is_registered) {
  if (unverified_first.size() <= kMostAbsent) return;
  std::vector<std::pair<int64_t, std::string>> absent;
  for (const auto& [executor, first] : unverified_first) {
    if (!is_registered(executor)) absent.emplace_back(first, executor);
  }
  if (absent.size() <= kMostAbsent) return;
  std::ranges::sort(absent);
  absent.resize(absent.size() - kMostAbsent);
  for (const auto& [first, executor] : absent) {
    unverified_since.erase(executor);
    unverified_first.erase(executor);
    confirmations.erase(executor);
  }
  unverified_changed = true;
}

void Attestations::RecordSourceRestsOn(const std::string& executor) {
  if (source_unverified.size() < kMostAbsent) source_unverified.insert(executor);
}

void Attestations::ForgetRoundsAfter(int64_t round) {
  const auto later = [&](const auto& entry) { return entry.second > round; };
  if (std::erase_if(unverified_since, later) > 0) unverified_changed = true;
  confirmations.clear();  // of rounds that are computed again
  std::erase_if(voters, [&](const auto& entry) { return entry.first > round; });
}

bool Job::AddUpTotals(int64_t values) {
  is_adding_up = !totals.CatchUp(*definition.strategy, units, values);
  return !is_adding_up;
}

void Job::UnitsChanged() {
  touched = {.all = true};
  is_adding_up = false;
  gathering.asked.clear();
  gathering.added.reset();
  gathering.summed_by.clear();
  affinity.unassigned.clear();
  auto known = affinity.last_executor.begin();  // advances with the units
  for (const auto& [index, unit] : units) {
    while (known != affinity.last_executor.end() && known->first < index) ++known;
    if (known == affinity.last_executor.end() || known->first != index)
      affinity.unassigned.insert(affinity.unassigned.end(), index);
  }
}

void Job::TrimLog(int64_t commits_kept) {
  if (!replaying()) log.places = {};
  // Keep the round before the state's: late results of the state's round start from it.
  log.Trim(std::min(at, log.committed - commits_kept) - 1, checkpoints, saving.round);
}

bool Job::AllSettled() const {
  return std::all_of(units.begin(), units.end(),
                     [](const auto& entry) { return entry.second.Settled(); });
}

const CheckpointInfo* Job::FindCheckpoint(const CheckpointName& name) const {
  if (name.set_aside > 0) {
    const auto found = set_aside.find({name.round, name.set_aside});
    return found == set_aside.end() ? nullptr : &found->second;
  }
  const auto found = checkpoints.find(name.round);
  return found == checkpoints.end() ? nullptr : &found->second;
}

CheckpointInfo* Job::FindCheckpoint(const CheckpointName& name) {
  return const_cast<CheckpointInfo*>(std::as_const(*this).FindCheckpoint(name));
}

bool Job::HasCheckpoint(int64_t round) const {
  const auto found = checkpoints.find(round);
  return found != checkpoints.end() && !found->second.unusable;
}

bool Job::LacksEpochEnd(int64_t round) const {
  return definition.checkpoint.every_epoch && definition.EndsEpoch(round) &&
         !HasCheckpoint(round) && checkpoints.upper_bound(round) == checkpoints.end();
}

int64_t Job::ExamplesUpTo(int64_t round) const {
  if (round <= 0) return 0;
  const int64_t epochs_done = round / definition.RoundsPerEpoch();
  return epochs_done * definition.plan.examples +
         dataset::ExamplesOfRounds(definition.plan, round % definition.RoundsPerEpoch());
}

Status NoSuchJob(const std::string& id) {
  return rpc::AttachRemedy(NotFound({.message = "there is no job " + id}),
                           {.kind = rpc::RemedyKind::kListJobs});
}

uint64_t JobNumber(const std::string& id) {
  uint64_t number = 0;
  const size_t dash = id.rfind('-');
  if (dash == std::string::npos || !absl::SimpleAtoi(id.substr(dash + 1), &number)) return 0;
  return number;
}

namespace {

// Returns the newest checkpoint before the smallest horizon of distrust, and the oldest from it on.
// Without the second, the horizon would often find no newer checkpoint to move to: it lags by more
// rounds than the newest checkpoints cover.
std::set<int64_t> CheckpointsAroundHorizon(const Job& job) {
  int64_t horizon = INT64_MAX;
  for (const auto& [executor, since] : job.attestations.unverified_since)
    horizon = std::min(horizon, since);
  std::optional<int64_t> before, from;
  for (const auto& [round, checkpoint] : job.checkpoints) {
    if (checkpoint.unusable) continue;
    if (round < horizon)
      before = round;
    else if (!from)
      from = round;
  }
  std::set<int64_t> around;
  if (before) around.insert(*before);
  if (from) around.insert(*from);
  return around;
}

}  // namespace

std::vector<int64_t> CheckpointsToDelete(const Job& job) {
  const CheckpointPolicy& policy = job.definition.checkpoint;
  std::set<int64_t> keep;
  int64_t newest = 0;
  for (auto it = job.checkpoints.rbegin(); it != job.checkpoints.rend(); ++it) {
    if (it->second.pinned) keep.insert(it->first);
    if (it->second.unusable) continue;
    if (newest++ < std::max<int64_t>(1, policy.keep_last)) keep.insert(it->first);
  }
  if (newest == 0) return {};  // better to keep one that may be readable later than none
  // The job may roll back to before its other checkpoints, when its source may be deleted.
  if (job.BeginsFromAnother() && job.record.state != JobState::kSucceeded) keep.insert(0);
  if (job.RollsBackOnQuarantine() && job.record.state != JobState::kSucceeded)
    keep.merge(CheckpointsAroundHorizon(job));
  std::vector<std::pair<double, int64_t>> judged;  // best first; for equal values, the older round
  for (const auto& [round, checkpoint] : job.checkpoints) {
    auto found = job.log.evaluations.find(round);
    if (found == job.log.evaluations.end() || checkpoint.unusable) continue;
    const double value = JudgedValue(job.definition, found->second);
    if (value == value)
      judged.emplace_back(job.definition.early_stopping.maximize ? -value : value, round);
  }
  std::sort(judged.begin(), judged.end());
  // Early stopping's best improved by more than min_delta, and counts as the first of them.
  int64_t best = policy.keep_best;
  if (best > 0 && job.HasCheckpoint(job.log.best.round)) {
    keep.insert(job.log.best.round);
    --best;
  }
  for (size_t i = 0; i < judged.size() && best > 0; ++i) {
    if (judged[i].second == job.log.best.round) continue;
    keep.insert(judged[i].second);
    --best;
  }
  std::vector<int64_t> surplus;
  for (const auto& [round, checkpoint] : job.checkpoints) {
    if (!keep.contains(round)) surplus.push_back(round);
  }
  return surplus;
}

}  // namespace dl::master
