#include "tests/sim/life_rules.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "master/store_recovery.h"

namespace dl::sim {

void LifeRules::RecordShutdown(const master::Core& core) {
  stops_with_.clear();
  for (const auto& [id, durable] : ledger_.jobs()) {
    const auto job = core.jobs().find(id);
    if (job == core.jobs().end() || !job->second.active()) continue;
    const bool there = job->second.phase != master::Phase::kPreparing && !job->second.replaying();
    if (there && job->second.at >= 0) stops_with_[id] = job->second.at;
  }
}

void LifeRules::RecordStep(const master::Core& core, Instant now) {
  wants_since_ = core.ReadyToStop() ? Instant::Max() : std::min(wants_since_, now);
}

void LifeRules::CheckStopped(const master::Core& core, Instant now) const {
  // The core goes on for a moment after the decision.
  constexpr Duration kMoment = std::chrono::milliseconds(2);
  if (wants_since_ < now - kMoment)
    return audit_.breach("the master stops without a checkpoint that its core wants");
  for (const auto& [id, round] : stops_with_) {
    const DurableJob& durable = ledger_.jobs().at(id);
    const auto job = core.jobs().find(id);
    if (job == core.jobs().end() || durable.committed < round) continue;
    if (job->second.saving.lacks_space) continue;
    // A rollback during the stop took the state out of memory.
    if (job->second.phase == master::Phase::kPreparing) continue;
    if (durable.checkpoints.empty() || *durable.checkpoints.rbegin() < round)
      audit_.breach(absl::StrCat(id, " stops without a checkpoint of round ", round));
  }
}

void LifeRules::CheckRecovered(const master::Core& core) const {
  for (const auto& [id, durable] : ledger_.jobs()) {
    if (durable.deleted) continue;
    const master::Job* job = core.Find(id);
    master::Job ended;
    if (const auto stored = master::FindEnded(*audit_.meta, id, DefinitionOf);
        job == nullptr && stored.ok() && *stored != nullptr) {
      ended = master::Restored(**stored);
      job = &ended;
    }
    if (job == nullptr) {
      if (releases_.acknowledged().contains(id))
        return audit_.breach(absl::StrCat("the acknowledged job ", id, " is lost"));
      continue;
    }
    if (job->log.committed != durable.committed)
      return audit_.breach(absl::StrCat("a commit of ", id, " is lost: it is at ",
                                        job->log.committed, ", not at ", durable.committed));
    if (job->log.head.length != durable.records)
      return audit_.breach(absl::StrCat("a record of ", id, " is lost"));
    for (const int64_t round : durable.checkpoints) {
      if (!job->checkpoints.contains(round))
        return audit_.breach(absl::StrCat("checkpoint ", id, "@", round, " is lost"));
      // After a rollback, the ledger may still have the contract from before.
      const auto behind = durable.basis.trained_under.upper_bound(round);
      if (round > 0 && job->record.rollbacks == 0 &&
          job->log.head.ContractOf(round) != std::prev(behind)->second)
        return audit_.breach(absl::StrCat(id, "@", round, " is told of under another contract"));
    }
  }
}

void LifeRules::CheckEnded(const master::Core& core, int64_t ended_kept) const {
  const int64_t ended = std::ranges::count_if(ledger_.jobs(), [&](const auto& durable) {
    return !core.jobs().contains(durable.first) && core.Find(durable.first) != nullptr;
  });
  if (ended > ended_kept)
    audit_.breach(
        absl::StrCat("the core keeps ", ended, " ended jobs, and ", ended_kept, " are allowed"));
}

}  // namespace dl::sim
