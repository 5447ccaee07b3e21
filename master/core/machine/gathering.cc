#include "master/core/machine/gathering.h"

#include <algorithm>
#include <map>
#include <utility>

#include "averaging/partial_sum.h"
#include "averaging/weights.h"
#include "master/core/job/verify_sample.h"

namespace dl::master {
namespace {

// Weights by worker; 0 for workers without a unit in the round.
averaging::Weights WeightsOf(const Job& job) {
  std::vector<int64_t> examples(job.definition.plan.workers);
  for (const auto& [worker, unit] : job.units) examples[worker] = unit.examples;
  StatusOr<averaging::Weights> weights = job.definition.strategy->WeightsOf(examples);
  DL_CHECK(weights.ok());  // because the plan is valid
  return *std::move(weights);
}

}  // namespace

void Gathering::BeginGather(Job& job) {
  averaging::GridExponents grid = job.totals.grid();
  if (!GathersOn(job, grid) && !RestartGather(job, std::move(grid))) return;
  open_units_.Abandon(job);
  PlanGathers(job);
  if (job.gathering.asked.empty()) return BeginMerge(job);
  job.phase = Phase::kGathering;
  AskForGathers(job);
}

// Whether contributions that were added before the round was reopened still belong to it.
bool Gathering::GathersOn(const Job& job, const averaging::GridExponents& grid) const {
  if (!job.gathering.added || job.grid != grid) return false;
  return std::all_of(job.gathering.added->begin(), job.gathering.added->end(),
                     [&](const auto& added) {
                       const Unit& unit = job.units.at(added.first);
                       return unit.result.staged && unit.result.hash == added.second;
                     });
}

// Starts the gather from scratch. Returns false, and leaves the round open, if contributions that
// were added are not available again because their holder has left.
bool Gathering::RestartGather(Job& job, averaging::GridExponents grid) {
  bool whole = true;
  for (auto& [worker, unit] : job.units) {
    if (!unit.result.staged) continue;
    jobs_.TouchUnit(job, worker);
    unit.result.staged = false;
    Session* const holder = fleet_.Find(unit.result.holder);
    if (holder != nullptr && !fleet_.IsQuarantined(holder->who.executor)) {
      unit.result.at = step_.now;
      unit.result.deliver_by = step_.now + job.definition.lease;
      holder->delivering.emplace(job.definition.id, worker);
    } else {
      unit.GiveUpDelivery();
      whole = false;
    }
  }
  job.gathering.added.reset();
  job.gathering.summed_by.clear();
  if (!whole) return false;
  job.gathering.added.emplace();
  job.grid = std::move(grid);
  job.gathering.weights = WeightsOf(job);
  step_.Do(OpenGather{job.definition.id, job.at + 1, job.grid});
  return true;
}

// Gather numbers are unique across restarts of the master, because an executor may still be
// answering a request of the previous master.
uint64_t Gathering::NextGather() { return incarnation_.Numbered(next_gather_++); }

void Gathering::PlanGathers(Job& job) {
  std::map<uint64_t, std::vector<int32_t>> held;  // by session
  for (const auto& [worker, unit] : job.units) {
    if (!unit.result.staged) held[unit.result.holder].push_back(worker);
  }
  // A round that is computed again must give the state of its commit. A wrong sum would then FAIL
  // the job and not only quarantine an executor.
  const bool sums = averaging::MaySum(job.gathering.weights.sum) &&
                    job.definition.verify_fraction < 1 && !job.replaying();
  for (const auto& [session, workers] : held) {
    if (sums && workers.size() > 1) {
      job.gathering.asked.emplace(
          NextGather(), PendingGather{.session = session,
                                      .workers = workers,
                                      .sum = true,
                                      .opened = IsOpened(job, fleet_.Find(session)->who.executor)});
      continue;
    }
    for (const int32_t worker : workers) {
      job.gathering.asked.emplace(NextGather(),
                                  PendingGather{.session = session, .workers = {worker}});
    }
  }
}

// A contribution is compared with its announcement, but a sum shows nothing about its
// contributions. Therefore some sums are opened after their arrival, as many as units are computed
// twice. Executors cannot predict which.
bool Gathering::IsOpened(const Job& job, const std::string& executor) const {
  if (!incarnation_.options.verify_sample || job.definition.verify_executors.contains(executor))
    return false;
  const int64_t round = job.at + 1;
  if (round <= job.attestations.verify_until) return true;
  return SumIsSampled(job.definition, incarnation_.secret, round, executor);
}

// Requests the next contributions in order. At most one opened sum is in progress.
void Gathering::AskForGathers(Job& job) {
  const auto count = [&](const auto& holds) {
    return std::count_if(job.gathering.asked.begin(), job.gathering.asked.end(),
                         [&](const auto& entry) { return holds(entry.second); });
  };
  auto asked = count([](const PendingGather& g) { return g.asked; });
  bool opening =
      count([](const PendingGather& g) { return (g.asked && g.opened) || g.opens != 0; }) > 0;
  for (auto& [number, gather] : job.gathering.asked) {
    if (asked >= kGathersAtOnce) return;
    if (gather.asked || (gather.opened && opening)) continue;
    opening |= gather.opened;
    gather.asked = true;
    ++asked;
    ExpectGather expect{.job = job.definition.id,
                        .round = job.at + 1,
                        .number = number,
                        .session = gather.session,
                        .sum = gather.sum,
                        .opened = gather.opened,
                        .opens = gather.opens};
    for (const int32_t worker : gather.workers) {
      Unit& unit = job.units.at(worker);
      unit.result.asked = true;
      unit.result.asked_for = unit.result.progressed = step_.now;
      unit.result.words_taken = 0;
      jobs_.TouchUnit(job, worker);
      expect.inputs.push_back({.worker = worker,
                               .hash = unit.result.hash,
                               .magnitudes = unit.result.magnitudes,
                               .parts = unit.result.parts});
    }
    step_.Do(std::move(expect));
    fleet_.Find(gather.session)->gathers.emplace(job.definition.id, number);
    ready_.to_tell.insert(gather.session);
  }
}

void Gathering::CancelGathers(Job& job) {
  for (const auto& [number, gather] : job.gathering.asked) {
    if (!gather.asked) continue;
    step_.Do(DropGather{job.definition.id, number});
    job.gathering.added.reset();
    for (const int32_t worker : gather.workers) {
      const auto unit = job.units.find(worker);
      if (unit == job.units.end()) continue;
      unit->second.result.asked = false;
      jobs_.TouchUnit(job, worker);
    }
  }
  job.gathering.asked.clear();
}

rpc::Gather Gathering::GatherMessage(const Job& job, uint64_t number,
                                     const PendingGather& gather) const {
  rpc::Gather message{.number = number,
                      .job = job.definition.id,
                      .round = job.at + 1,
                      .spec_sha256 = job.definition.spec_sha256,
                      .sum = gather.sum};
  if (gather.sum) {
    message.exponents = job.grid;
    message.weight_sum = job.gathering.weights.sum;
  }
  for (const int32_t worker : gather.workers) {
    message.inputs.push_back({.index = worker,
                              .hash = job.units.at(worker).result.hash,
                              .weight = gather.sum ? job.gathering.weights.weight[worker] : 0});
  }
  return message;
}

std::vector<rpc::Gather> Gathering::GathersFor(Session& session, bool again) {
  std::vector<rpc::Gather> messages;
  for (auto it = session.gathers.begin(); it != session.gathers.end();) {
    const auto job = jobs_.live().find(it->first);
    PendingGather* gather = nullptr;
    if (job != jobs_.live().end()) {
      const auto found = job->second.gathering.asked.find(it->second);
      if (found != job->second.gathering.asked.end()) gather = &found->second;
    }
    if (gather == nullptr) {
      it = session.gathers.erase(it);
      continue;
    }
    if (again || !gather->reported)
      messages.push_back(GatherMessage(job->second, it->second, *gather));
    gather->reported = true;
    ++it;
  }
  return messages;
}

void Gathering::BeginMerge(Job& job) {
  job.merge = next_merge_++;
  Merge merge{.job = job.definition.id,
              .round = job.at + 1,
              .number = job.merge,
              .exponents = job.grid,
              .gathered = job.definition.IsGathered(incarnation_.options.staging_bytes)};
  for (const auto& [worker, unit] : job.units) merge.inputs.push_back({worker, unit.result.hash});
  job.phase = Phase::kMerging;
  open_units_.Abandon(job);
  step_.Do(std::move(merge));
}

// The merged or gathered contributions may no longer be the accepted ones.
void Gathering::ReopenRound(Job& job) {
  if (job.phase != Phase::kMerging && job.phase != Phase::kGathering) return;
  if (job.phase == Phase::kGathering) CancelGathers(job);
  job.phase = Phase::kTraining;
  jobs_.Touch(job);
}

const PendingGather* Gathering::FindPending(const Job& job, uint64_t number, uint64_t session) {
  const auto found = job.gathering.asked.find(number);
  return found == job.gathering.asked.end() || found->second.session != session ? nullptr
                                                                                : &found->second;
}

void Gathering::TakeGathered(Job& job, uint64_t number) {
  const PendingGather gather = job.gathering.asked.extract(number).mapped();
  const Session* session = fleet_.Find(gather.session);
  if (session != nullptr && gather.sum && !gather.opened)
    job.gathering.summed_by.insert(session->who.executor);
  job.counts.gathered_sums += gather.sum ? 1 : 0;
  for (const int32_t worker : gather.workers) {
    Unit& unit = job.units.at(worker);
    unit.result.asked = false;
    jobs_.TouchUnit(job, worker);
    if (gather.opened) {
      job.gathering.asked.emplace(
          NextGather(),
          PendingGather{.session = gather.session, .workers = {worker}, .opens = number});
      continue;
    }
    unit.RecordArrival(step_.came);
    job.gathering.added->emplace(worker, unit.result.hash);
    ++job.counts.gathered_contributions;
  }
  if (job.gathering.asked.empty()) {
    BeginMerge(job);
  } else {
    AskForGathers(job);
  }
}

Status Gathering::CheckGathers(const Job& job) const {
  const auto breach = [&](std::string_view what) {
    return Internal({.message = std::string(what), .where = job.definition.id});
  };
  if ((job.phase == Phase::kGathering) == job.gathering.asked.empty())
    return breach(
        "requests for contributions exist in a phase without a gather, or are missing in a gather");
  int64_t asked = 0;
  size_t staged = 0, pending = 0;
  for (const auto& [number, gather] : job.gathering.asked) {
    asked += gather.asked ? 1 : 0;
    pending += gather.workers.size();
    const auto session = fleet_.sessions().find(gather.session);
    if (session == fleet_.sessions().end())
      return breach("a contribution is requested from a session that has ended");
    if (gather.asked != session->second.gathers.contains({job.definition.id, number}))
      return breach("a session lacks a request for a contribution that it should send");
    for (const int32_t worker : gather.workers) {
      const AcceptedResult& result = job.units.at(worker).result;
      if (!result.held || result.staged || result.holder != gather.session)
        return breach("a contribution is requested from a session that does not hold it");
    }
  }
  if (asked > kGathersAtOnce)
    return breach("more contributions are gathered at once than the limit");
  if (job.phase != Phase::kGathering) return absl::OkStatus();
  for (const auto& [worker, unit] : job.units) staged += unit.result.staged ? 1 : 0;
  if (staged + pending != job.units.size()) return breach("a contribution is not gathered");
  return absl::OkStatus();
}

}  // namespace dl::master
