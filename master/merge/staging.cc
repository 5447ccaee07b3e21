#include "master/merge/staging.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::master {

void Staging::Expect(const ExpectContribution& effect, FloatBufferPool& pool) {
  MutexLock lock(mutex_);
  staged_[effect.unit] = {.number = effect.number,
                          .session = effect.session,
                          .hash = effect.hash,
                          .magnitudes = effect.magnitudes,
                          .parts = effect.parts,
                          .receiver = std::make_shared<Receiver>(effect.bytes, pool)};
}

void Staging::Drop(const DropContribution& effect) {
  MutexLock lock(mutex_);
  const auto found = staged_.find(effect.unit);
  if (found != staged_.end() && found->second.number == effect.number) staged_.erase(found);
}

void Staging::DropAllBut(int64_t round) {
  MutexLock lock(mutex_);
  std::erase_if(staged_, [&](const auto& entry) { return entry.first.round != round; });
}

void Staging::DropThrough(int64_t round) {
  MutexLock lock(mutex_);
  std::erase_if(staged_, [&](const auto& entry) { return entry.first.round <= round; });
}

void Staging::Clear() {
  MutexLock lock(mutex_);
  staged_.clear();
}

std::optional<Staging::Staged> Staging::Find(const UnitId& unit, uint64_t hash,
                                             uint64_t session) const {
  MutexLock lock(mutex_);
  const auto found = staged_.find(unit);
  if (found == staged_.end() || found->second.hash != hash || found->second.session != session)
    return std::nullopt;
  return found->second;
}

Staging::KeepResult Staging::Keep(const UnitId& unit, uint64_t number, SharedVector vector,
                                  absl::FunctionRef<void(const Staged&)> first) {
  MutexLock lock(mutex_);
  const auto found = staged_.find(unit);
  if (found == staged_.end() || found->second.number != number) return KeepResult::kNotExpected;
  if (found->second.vector != nullptr) return KeepResult::kAlreadyKept;
  found->second.vector = std::move(vector);
  first(found->second);
  return KeepResult::kKept;
}

StatusOr<std::vector<RoundMerger::Contribution>> Staging::InputsOf(const Merge& effect) const {
  std::vector<RoundMerger::Contribution> inputs;
  MutexLock lock(mutex_);
  for (const Merge::Input& input : effect.inputs) {
    const auto one = staged_.find({effect.job, UnitKind::kTrain, effect.round, input.worker});
    if (one == staged_.end() || one->second.hash != input.hash || one->second.vector == nullptr) {
      return Internal(
          {.message = absl::StrCat("worker ", input.worker, "'s contribution is not staged"),
           .where = effect.job});
    }
    inputs.push_back({.worker = input.worker,
                      .hash = input.hash,
                      .vector = one->second.vector,
                      .magnitudes = *one->second.magnitudes});
  }
  return inputs;
}

}  // namespace dl::master
