#include "master/merge/merge_work.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/trace.h"
#include "master/merge/state_source.h"

namespace dl::master {

void MergeWork::Post(const PrepareState& effect) {
  queue_->Post([this, effect] {
    StatePrepared event{.job = effect.job, .round = effect.round, .number = effect.number};
    // Merges of other jobs wait during retries. They would soon lack the same resources.
    auto prepared = options_.shortage->RetryWhenExhausted(
        absl::StrCat("preparing a state of ", effect.job), [&] { return Prepare(effect); });
    if (!prepared.ok()) {
      event.status = prepared.status();
    } else {
      auto& [material, state] = *prepared;
      if (state.names.parts.empty()) NameState(material, state);
      event.names = state.names;
      const RunningJobs::Data data = options_.jobs->FindOrAdd(effect.job, std::move(material));
      data->staging.Clear();
      data->gathers.Clear();
      data->states.Begin(effect.round, std::make_shared<const RoundState>(std::move(state)));
    }
    options_.post(std::move(event));
  });
}

StatusOr<MergeWork::Prepared> MergeWork::Prepare(const PrepareState& effect) {
  Prepared prepared;
  DL_ASSIGN_OR_RETURN(prepared.material, options_.material(effect.job));
  DL_ASSIGN_OR_RETURN(prepared.state, StateOf(effect, prepared.material));
  return prepared;
}

StatusOr<RoundState> MergeWork::StateOf(const PrepareState& effect, const JobMaterial& material) {
  storage::CheckpointStore& store = *options_.checkpoints;
  switch (effect.source) {
    case PrepareState::Source::kParts:
      return StateOfOffers(effect);
    case PrepareState::Source::kInitial:
      return InitialState(material);
    case PrepareState::Source::kWeightsOnly:
      return WeightsOfCheckpoint(store, effect.checkpoint_manifest, material, options_.material);
    case PrepareState::Source::kCheckpoint:
    case PrepareState::Source::kOtherCheckpoint:
      break;
  }
  return StateOfCheckpoint(store, effect.checkpoint_manifest, material);
}

StatusOr<RoundState> MergeWork::StateOfOffers(const PrepareState& effect) {
  DL_ASSIGN_OR_RETURN(const RunningJobs::Data data, options_.jobs->Get(effect.job));
  RoundState state = data->offered.Take(effect.parts);
  const bool whole =
      std::ranges::all_of(state.parts, [](const auto& part) { return part.second != nullptr; });
  if (!whole) return Internal({.message = "a part of the state is missing", .where = effect.job});
  return state;
}

void MergeWork::Open(RunningJobs::Data data, const OpenRound& effect) {
  queue_->Post([data, effect] { data->merger.Open(effect.round, effect.weights); });
}

void MergeWork::Open(RunningJobs::Data data, const OpenGather& effect) {
  queue_->Post([data, effect] { data->gathered.Open(effect); });
}

void MergeWork::Add(RunningJobs::Data data, const UnitId& unit,
                    const Staging::Staged& contribution) {
  queue_->Post([data, unit, contribution] {
    const RoundMerger::Contribution arrived{.worker = unit.index,
                                            .hash = contribution.hash,
                                            .vector = contribution.vector,
                                            .magnitudes = *contribution.magnitudes};
    data->merger.Add(unit.round, arrived);
    const State base = data->states.Find(unit.round - 1);
    if (base != nullptr && data->material.workers > 1) data->layers.Add(unit.round, arrived, *base);
  });
}

void MergeWork::AddGathered(RunningJobs::Data data, std::shared_ptr<const ExpectGather> expected,
                            uint64_t session, std::shared_ptr<FloatBuffer> content) {
  queue_->Post([this, data, expected, session, content] {
    if (!data->gathers.Find(expected->number)) return;  // dropped meanwhile
    options_.post(AddNow(*data, *expected, session, content));
  });
}

// Runs after the task that opened the gather.
Event MergeWork::AddNow(JobData& data, const ExpectGather& expected, uint64_t session,
                        const std::shared_ptr<FloatBuffer>& content) {
  const StatusOr<bool> added = data.gathered.Add(expected, content, data.gathers);
  if (!added.ok()) {
    return GatherRefused{expected.job, expected.round, expected.number, session, added.status()};
  }
  if (!*added) return SumContradicted{expected.job, expected.round, expected.opens, session};
  return Gathered{expected.job, expected.round, expected.number, session};
}

void MergeWork::Post(const Merge& effect) {
  queue_->Post([this, effect] {
    RoundMerged event{.job = effect.job, .round = effect.round, .merge = effect.number};
    auto merged = options_.shortage->RetryWhenExhausted(
        absl::StrCat("merging round ", effect.round, " of ", effect.job),
        [&] { return MergeRound(effect); });
    if (merged.ok()) {
      event.names = merged->state->names;
      event.layers = std::move(merged->layers);
      event.parameter_histograms = std::move(merged->histograms.parameters);
      event.change_histograms = std::move(merged->histograms.changes);
      if (const RunningJobs::Data data = options_.jobs->Find(effect.job); data != nullptr) {
        data->states.Add(effect.round, std::move(merged->state));
        event.traffic = data->traffic.Take();
      }
    } else {
      event.status = merged.status();
    }
    options_.post(std::move(event));
  });
}

StatusOr<MergeWork::Merged> MergeWork::MergeRound(const Merge& effect) {
  DL_ASSIGN_OR_RETURN(const RunningJobs::Data data, options_.jobs->Get(effect.job));
  const State base = data->states.Find(effect.round - 1);
  if (base == nullptr)
    return Internal(
        {.message = "the state before the round is not in memory", .where = effect.job});
  return effect.gathered ? MergeGathered(*data, effect, *base) : MergeStaged(*data, effect, *base);
}

StatusOr<MergeWork::Merged> MergeWork::MergeStaged(JobData& data, const Merge& effect,
                                                   const RoundState& base) {
  DL_ASSIGN_OR_RETURN(const std::vector<RoundMerger::Contribution> inputs,
                      data.staging.InputsOf(effect));
  std::map<std::string, SharedVector> worker_parts;
  for (const averaging::PartLayout* part :
       data.material.layout().PartsWith(averaging::PartScope::kWorker)) {
    for (const RoundMerger::Contribution& input : inputs) {
      const std::span<const float> own = part->In(input.vector->span());
      DL_ASSIGN_OR_RETURN(std::shared_ptr<FloatBuffer> copy, data.pool.Take(part->table.size()));
      std::copy(own.begin(), own.end(), copy->data());
      worker_parts.emplace(part->KeyOf(input.worker), std::move(copy));
    }
  }
  const auto close = [&](RoundMerger::Parts global) {
    return data.merger.Finish(effect.round, effect.exponents, inputs, global);
  };
  const auto drift = [&](std::span<const float> mean) {
    return data.layers.Drift(effect.round, inputs, data.merger.weights(), base, mean);
  };
  auto merged = NextState(data, effect.round, base, std::move(worker_parts),
                          {.close = close, .drift = drift});
  LogDebug(effect.job, ": round ", effect.round, ": ", data.merger.added_on_arrival(), " of ",
           inputs.size(), " contributions were added on arrival");
  return merged;
}

StatusOr<MergeWork::Merged> MergeWork::MergeGathered(JobData& data, const Merge& effect,
                                                     const RoundState& base) {
  DL_RETURN_IF_ERROR(data.gathered.status());
  std::vector<RoundMerger::Contribution> inputs;
  std::map<std::string, SharedVector> worker_parts;
  for (const Merge::Input& input : effect.inputs) {
    inputs.push_back({.worker = input.worker, .hash = input.hash});
    for (const averaging::PartLayout* part :
         data.material.layout().PartsWith(averaging::PartScope::kWorker)) {
      const std::string key = part->KeyOf(input.worker);
      const SharedVector gathered = data.gathers.WorkerPart(key);
      if (gathered == nullptr)
        return Internal({.message = "a worker's part was not gathered", .where = effect.job});
      worker_parts.emplace(key, gathered);
    }
  }
  const auto close = [&](RoundMerger::Parts global) {
    return data.merger.FinishGathered(inputs, global);
  };
  // Most contributions stay with the executors, so their distances are unknown.
  const auto no_drift = [](std::span<const float>) { return std::vector<double>(); };
  return NextState(data, effect.round, base, std::move(worker_parts),
                   {.close = close, .drift = no_drift});
}

StatusOr<MergeWork::Merged> MergeWork::NextState(JobData& data, int64_t round,
                                                 const RoundState& base,
                                                 std::map<std::string, SharedVector> worker_parts,
                                                 const Closing& closing) {
  auto state = std::make_shared<RoundState>();
  averaging::PartViews before;
  averaging::PartBuffers next;
  std::vector<std::span<float>> mean;
  for (const auto& [key, part] : KeysOf(data.material)) {
    if (part->scope == averaging::PartScope::kWorker) {
      const auto own = worker_parts.find(key);
      // A worker without a step in this round keeps its parts.
      state->parts.emplace(key, own == worker_parts.end() ? base.parts.at(key) : own->second);
      continue;
    }
    DL_ASSIGN_OR_RETURN(std::shared_ptr<FloatBuffer> vector, data.pool.Take(part->table.size()));
    before.emplace(key, base.parts.at(key)->span());
    next.emplace(key, vector->span());
    if (part->scope == averaging::PartScope::kGlobal) mean.push_back(vector->span());
    state->parts.emplace(key, std::move(vector));
  }
  DL_RETURN_IF_ERROR(closing.close(mean));
  const std::string& model = data.material.layout().model().name;
  const std::vector<double> drift = closing.drift(next.at(model));
  {
    const Span span(spans::kAdvance);
    DL_RETURN_IF_ERROR(data.material.strategy->Advance(before, next));
  }
  Merged merged{.layers = data.layers.Statistics(before.at(model), next.at(model), drift),
                .histograms = data.layers.HistogramsOf(round, before.at(model), next.at(model))};
  NameState(data.material, *state, &base);
  merged.state = std::move(state);
  return merged;
}

}  // namespace dl::master
