#include "master/core/machine/round_opening.h"

#include <string>
#include <utility>

#include "master/core/job/verify_sample.h"

namespace dl::master {

void RoundOpening::OpenNextRound(Job& job) {
  const int64_t round = job.at + 1;
  if (job.replaying() && !job.log.commits.contains(round)) return uses_.preparations.ReadAhead(job);
  const dataset::RoundPlan plan =
      dataset::PlanRound(job.definition.plan, job.definition.RoundInEpoch(round));
  job.phase = Phase::kTraining;
  job.series.opened = step_.now;
  job.plateaus = job.replaying() ? job.log.commits.at(round).plateaus : job.log.plateaus.count;
  open_units_.Drop(job);
  OpenRound open{job.definition.id, round, {}};
  open.weights.reserve(plan.workers.size());
  job.units.reserve(plan.workers.size());
  for (int32_t worker = 0; worker < static_cast<int32_t>(plan.workers.size()); ++worker) {
    const dataset::UnitPlan& unit = plan.workers[worker];
    open.weights.push_back(unit.range.examples);
    if (unit.steps == 0) continue;
    job.units.try_emplace(
        worker, Unit({.id = {job.definition.id, UnitKind::kTrain, round, worker},
                      .examples = unit.range.examples,
                      .steps = unit.steps,
                      .verify = round <= job.attestations.verify_until ||
                                (incarnation_.options.verify_sample &&
                                 UnitIsSampled(job.definition, incarnation_.secret, round, worker)),
                      .deciders = &job.definition.verify_executors}));
  }
  job.UnitsChanged();
  jobs_.TouchUnits(job);
  step_.Do(std::move(open));
  PreferHolders(job, round);
  TakeVotes(job, round);
}

// Adds the known results of the round's units: those in its commit if the round is computed again,
// and those that were disputed when it was reopened.
void RoundOpening::TakeVotes(Job& job, int64_t round) {
  const auto commit = job.log.commits.find(round);
  if (commit != job.log.commits.end()) {
    for (const CommittedUnit& unit : commit->second.units) {
      const auto found = job.units.find(unit.worker);
      if (found == job.units.end()) continue;
      found->second.results.push_back(
          {.executor = std::string(Trust::kCommitted), .digest = unit.hash, .of_the_past = true});
    }
  }
  for (const auto& [id, votes] : std::exchange(job.attestations.votes, {})) {
    Unit* unit = open_units_.Find(job, id);
    if (unit == nullptr) {
      if (id.round > round) job.attestations.votes.emplace(id, votes);
      continue;
    }
    unit->results.insert(unit->results.end(), votes.begin(), votes.end());
    std::erase_if(unit->results,
                  [&](const UnitResult& r) { return fleet_.IsQuarantined(r.executor); });
    if (!unit->disputed()) continue;
    uses_.trust.OpenDispute(job, *unit);
    (void)uses_.trust.SettleDispute(job, *unit);
    // The losing executor had computed other results as well.
    if (requests_.RemoveUnitsOf(job)) return;
  }
}

// Before a restart, executors may have computed results of this round. A holder only has to send
// its result.
void RoundOpening::PreferHolders(Job& job, int64_t round) {
  for (const auto& [id, session] : fleet_.sessions()) {
    for (const rpc::HeldContribution& held : session.who.held_contributions) {
      if (held.unit.job != job.definition.id || held.unit.round != round) continue;
      if (held.unit.kind == UnitKind::kTrain && job.units.contains(held.unit.index)) {
        job.affinity.Set(held.unit.index, session.who.executor);
      }
    }
  }
}

}  // namespace dl::master
