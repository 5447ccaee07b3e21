#include "master/merge/merge_engine.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/part_name.h"
#include "base/trace.h"
#include "master/merge/slice.h"
#include "master/merge/state_source.h"

namespace dl::master {

StatusOr<std::shared_ptr<MergeEngine::JobData>> MergeEngine::DataOf(const std::string& job) {
  MutexLock lock(mutex_);
  auto found = jobs_.find(job);
  if (found == jobs_.end())
    return NotFound({.message = absl::StrCat("job ", job, " is not running")});
  return found->second;
}

void MergeEngine::Do(const PrepareState& effect) {
  merges_.Post([this, effect] {
    StatePrepared event{.job = effect.job, .round = effect.round, .number = effect.number};
    // Other jobs' merges wait meanwhile; what lacks here, they would lack soon.
    auto prepared = shortage_.Outlast(absl::StrCat("preparing a state of ", effect.job),
                                      [&] { return Prepare(effect); });
    if (!prepared.ok()) {
      event.status = prepared.status();
    } else {
      auto& [material, state] = *prepared;
      state.names = NameState(material, state);
      event.names = state.names;
      MutexLock lock(mutex_);
      auto& data = jobs_[effect.job];
      if (data == nullptr) {
        data = std::make_shared<JobData>(std::move(material));
      }
      data->staged.clear();
      data->gathers.clear();
      data->worker_parts.clear();
      data->states.clear();
      data->published = -1;
      data->states[effect.round] = std::make_shared<const RoundState>(std::move(state));
    }
    options_.post(std::move(event));
  });
}

StatusOr<MergeEngine::Prepared> MergeEngine::Prepare(const PrepareState& effect) {
  Prepared prepared;
  DL_ASSIGN_OR_RETURN(prepared.material, options_.material(effect.job));
  DL_ASSIGN_OR_RETURN(prepared.state, StateOf(effect, prepared.material));
  return prepared;
}

StatusOr<RoundState> MergeEngine::StateOf(const PrepareState& effect, const JobMaterial& material) {
  RoundState state;
  if (effect.source == PrepareState::Source::kParts) {
    DL_ASSIGN_OR_RETURN(std::shared_ptr<JobData> data, DataOf(effect.job));
    MutexLock lock(mutex_);
    bool whole = true;
    for (const auto& [key, name] : effect.parts.parts) {
      const SharedVector& vector = state.parts[key] = data->arrived_parts[name];
      whole = whole && vector != nullptr;
    }
    data->arrived_parts.clear();
    data->expected_parts.clear();
    if (!whole)
      return Internal({.message = "a part of the state has not arrived", .where = effect.job});
    return state;
  }
  if (effect.source == PrepareState::Source::kInitial) return InitialState(material);
  storage::CheckpointStore& store = *options_.checkpoints;
  if (effect.source == PrepareState::Source::kWeightsOnly) {
    return WeightsOfCheckpoint(store, effect.checkpoint_manifest, material, options_.material);
  }
  return StateOfCheckpoint(store, effect.checkpoint_manifest, material);
}

void MergeEngine::Do(const OpenRound& effect) {
  std::shared_ptr<JobData> data;
  {
    MutexLock lock(mutex_);
    auto found = jobs_.find(effect.job);
    if (found == jobs_.end()) return;
    data = found->second;
    std::erase_if(data->staged, [&](const auto& e) { return e.first.round != effect.round; });
    data->gathers.clear();
    data->worker_parts.clear();
    data->expected_parts.clear();  // the job goes on: what executors offered came too late
    data->arrived_parts.clear();
  }
  merges_.Post([data, effect] { data->merger.Open(effect.round, effect.weights); });
}

void MergeEngine::Do(const ExpectContribution& effect) {
  MutexLock lock(mutex_);
  auto found = jobs_.find(effect.unit.job);
  if (found == jobs_.end()) return;
  JobData& data = *found->second;
  data.staged[effect.unit] = {.number = effect.number,
                              .hash = effect.hash,
                              .magnitudes = effect.magnitudes,
                              .receiver = std::make_shared<Receiver>(effect.bytes, data.pool)};
}

void MergeEngine::Do(const DropContribution& effect) {
  MutexLock lock(mutex_);
  auto found = jobs_.find(effect.unit.job);
  if (found == jobs_.end()) return;
  auto staged = found->second->staged.find(effect.unit);
  if (staged != found->second->staged.end() && staged->second.number == effect.number) {
    found->second->staged.erase(staged);
  }
}

StatusOr<rpc::ContributionReply> MergeEngine::Contribute(const rpc::ContributionChunk& chunk) {
  if (chunk.gather != 0) return ContributeGathered(chunk);
  const rpc::ContributionReply unwanted{rpc::Receipt::kUnwanted};
  std::shared_ptr<JobData> data;
  std::shared_ptr<Receiver> receiver;
  averaging::Magnitudes announced;
  Sent sent{.unit = chunk.unit, .session = chunk.session};
  {
    MutexLock lock(mutex_);
    auto found = jobs_.find(chunk.unit.job);
    if (found == jobs_.end()) return unwanted;
    data = found->second;
    auto staged = data->staged.find(chunk.unit);
    if (staged == data->staged.end() || staged->second.hash != chunk.hash) return unwanted;
    if (staged->second.vector != nullptr) return rpc::ContributionReply{rpc::Receipt::kComplete};
    sent.number = staged->second.number;
    receiver = staged->second.receiver;
    announced = staged->second.magnitudes;
  }
  auto progress = receiver->Take(chunk.offset, chunk.total, chunk.chunk_xxh3, chunk.bytes);
  if (!progress.ok()) return WithContext(progress.status(), ToString(chunk.unit));
  if (*progress == Receiver::Progress::kMore) return rpc::ContributionReply{rpc::Receipt::kMore};

  const std::shared_ptr<FloatBuffer> vector = receiver->vector();
  if (Status status = Verify(*data, *vector, chunk.hash, announced); !status.ok()) {
    receiver->Reset();
    return Refuse(sent, WithContext(status, ToString(chunk.unit)));
  }
  return Stage(data, sent, vector);
}

Status MergeEngine::Verify(const JobData& data, const FloatBuffer& vector, uint64_t hash,
                           const averaging::Magnitudes& announced) {
  if (Xxh3(AsBytes(vector)) != hash)
    return DataLoss({.message = "a contribution is not what was announced"});
  const auto magnitudes = data.material.strategy->Measure(vector.span());
  if (magnitudes.ok() && *magnitudes == announced) return absl::OkStatus();
  return InvalidArgument(
      {.message = "a contribution's magnitudes are not those that were announced"});
}

Status MergeEngine::Refuse(const Sent& sent, Status status) {
  options_.post(ContributionRefused{sent.unit, sent.number, sent.session, status});
  return status;
}

StatusOr<rpc::ContributionReply> MergeEngine::Contribute(uint64_t session, const UnitId& unit,
                                                         uint64_t hash, SharedVector vector) {
  auto data = DataOf(unit.job);
  if (!data.ok()) return rpc::ContributionReply{rpc::Receipt::kUnwanted};
  if (vector->size() != (*data)->material.layout().unit.size()) {
    return InvalidArgument(
        {.message = "a contribution has another size than its model", .where = ToString(unit)});
  }
  Sent sent{.unit = unit, .session = session};
  {
    MutexLock lock(mutex_);
    const auto staged = (*data)->staged.find(unit);
    if (staged == (*data)->staged.end() || staged->second.hash != hash)
      return rpc::ContributionReply{rpc::Receipt::kUnwanted};
    sent.number = staged->second.number;
  }
  return Stage(*data, sent, std::move(vector));
}

rpc::ContributionReply MergeEngine::Stage(const std::shared_ptr<JobData>& data, const Sent& sent,
                                          SharedVector vector) {
  {
    MutexLock lock(mutex_);
    auto staged = data->staged.find(sent.unit);
    if (staged == data->staged.end() || staged->second.number != sent.number) {
      return {rpc::Receipt::kUnwanted};
    }
    if (staged->second.vector != nullptr) return {rpc::Receipt::kComplete};
    staged->second.vector = std::move(vector);
    // Before the core hears of it, so before it asks for the merge.
    merges_.Post([data, unit = sent.unit, contribution = staged->second] {
      data->merger.Add(unit.round, {.worker = unit.index,
                                    .hash = contribution.hash,
                                    .vector = contribution.vector,
                                    .magnitudes = contribution.magnitudes});
    });
  }
  options_.post(ContributionStaged{sent.unit, sent.number, sent.session});
  return {rpc::Receipt::kComplete};
}

void MergeEngine::Do(const Merge& effect) {
  merges_.Post([this, effect] {
    RoundMerged event{.job = effect.job, .round = effect.round, .merge = effect.number};
    auto state = effect.gathered ? MergeGathered(effect) : MergeRound(effect);
    if (state.ok()) {
      event.names = (*state)->names;
      auto data = DataOf(effect.job);
      if (data.ok()) {
        MutexLock lock(mutex_);
        (*data)->states[effect.round] = *std::move(state);
      }
    } else {
      event.status = state.status();
    }
    options_.post(std::move(event));
  });
}

StatusOr<std::shared_ptr<const RoundState>> MergeEngine::MergeRound(const Merge& effect) {
  DL_ASSIGN_OR_RETURN(std::shared_ptr<JobData> data, DataOf(effect.job));
  std::vector<RoundMerger::Contribution> inputs;
  std::shared_ptr<const RoundState> base;
  {
    MutexLock lock(mutex_);
    auto found = data->states.find(effect.round - 1);
    if (found == data->states.end())
      return Internal({.message = "the round's base state is gone", .where = effect.job});
    base = found->second;
    for (const Merge::Input& input : effect.inputs) {
      auto one = data->staged.find({effect.job, UnitKind::kTrain, effect.round, input.worker});
      if (one == data->staged.end() || one->second.hash != input.hash ||
          one->second.vector == nullptr) {
        return Internal(
            {.message = absl::StrCat("worker ", input.worker, "'s contribution is not staged"),
             .where = effect.job});
      }
      inputs.push_back({.worker = input.worker,
                        .hash = input.hash,
                        .vector = one->second.vector,
                        .magnitudes = one->second.magnitudes});
    }
  }
  std::map<std::string, SharedVector> worker_parts;
  for (const averaging::PartLayout* part :
       data->material.layout().Of(averaging::PartScope::kWorker)) {
    for (const RoundMerger::Contribution& input : inputs) {
      const std::span<const float> own = part->In(input.vector->span());
      DL_ASSIGN_OR_RETURN(std::shared_ptr<FloatBuffer> copy, data->pool.Take(part->table.size()));
      std::copy(own.begin(), own.end(), copy->data());
      worker_parts.emplace(part->KeyOf(input.worker), std::move(copy));
    }
  }
  auto state = NextState(*data, *base, std::move(worker_parts), [&](RoundMerger::Parts global) {
    return data->merger.Finish(effect.round, effect.exponents, inputs, global);
  });
  LogDebug(effect.job, ": round ", effect.round, ": ", data->merger.added_on_arrival(), " of ",
           inputs.size(), " contributions were added on arrival");
  return state;
}

StatusOr<std::shared_ptr<const RoundState>> MergeEngine::NextState(
    JobData& data, const RoundState& base, std::map<std::string, SharedVector> worker_parts,
    absl::FunctionRef<Status(RoundMerger::Parts)> close) {
  auto state = std::make_shared<RoundState>();
  averaging::PartViews before;
  averaging::PartBuffers next;
  std::vector<std::span<float>> mean;
  for (const auto& [key, part] : KeysOf(data.material)) {
    if (part->scope == averaging::PartScope::kWorker) {
      const auto own = worker_parts.find(key);
      // A worker without a step in this round keeps what it has.
      state->parts.emplace(key, own == worker_parts.end() ? base.parts.at(key) : own->second);
      continue;
    }
    DL_ASSIGN_OR_RETURN(std::shared_ptr<FloatBuffer> vector, data.pool.Take(part->table.size()));
    before.emplace(key, base.parts.at(key)->span());
    next.emplace(key, vector->span());
    if (part->scope == averaging::PartScope::kGlobal) mean.push_back(vector->span());
    state->parts.emplace(key, std::move(vector));
  }
  DL_RETURN_IF_ERROR(close(mean));
  {
    const Span span(spans::kAdvance);
    DL_RETURN_IF_ERROR(data.material.strategy->Advance(before, next));
  }
  state->names = NameState(data.material, *state, &base);
  return std::shared_ptr<const RoundState>(std::move(state));
}

void MergeEngine::Do(const Publish& effect) {
  MutexLock lock(mutex_);
  auto found = jobs_.find(effect.job);
  if (found == jobs_.end()) return;
  found->second->published = effect.round;
}

void MergeEngine::Do(const Retire& effect) {
  MutexLock lock(mutex_);
  auto found = jobs_.find(effect.job);
  if (found == jobs_.end()) return;
  JobData& data = *found->second;
  data.states.erase(data.states.begin(), data.states.lower_bound(effect.round));
  std::erase_if(data.staged, [&](const auto& entry) { return entry.first.round <= effect.round; });
}

SharedVector MergeEngine::FindPart(const std::string& job, const std::string& sha256) {
  MutexLock lock(mutex_);
  auto found = jobs_.find(job);
  if (found == jobs_.end()) return nullptr;
  const auto state = found->second->states.find(found->second->published);
  return state == found->second->states.end() ? nullptr : state->second->Find(sha256);
}

StatusOr<rpc::Chunk> MergeEngine::FetchPart(const rpc::FetchRequest& request) {
  const SharedVector part = FindPart(request.job, request.sha256);
  if (part == nullptr) {
    return NotFound(
        {.message = absl::StrCat("job ", request.job, " has no current state ", request.sha256)});
  }
  return Slice(request, AsBytes(*part));
}

void MergeEngine::Do(const ExpectPart& effect) {
  auto data = DataOf(effect.job);
  if (!data.ok()) return;
  MutexLock lock(mutex_);
  auto state = (*data)->states.begin();
  if (state == (*data)->states.end()) return;
  // Which part it is shows when it is whole: the sender's total decides.
  (*data)->expected_parts.emplace(effect.sha256, nullptr);
}

Status MergeEngine::OfferPart(const rpc::OfferChunk& chunk) {
  DL_ASSIGN_OR_RETURN(std::shared_ptr<JobData> data, DataOf(chunk.job));
  const auto fits = [&](const averaging::PartLayout& part) { return part.bytes() == chunk.total; };
  const std::vector<averaging::PartLayout>& parts = data->material.layout().parts;
  if (std::ranges::none_of(parts, fits))
    return InvalidArgument({.message = "an offered part has no part's size"});
  std::shared_ptr<Receiver> receiver;
  {
    MutexLock lock(mutex_);
    auto found = data->expected_parts.find(chunk.sha256);
    if (found == data->expected_parts.end()) return absl::OkStatus();  // no longer needed
    if (found->second == nullptr)
      found->second = std::make_shared<Receiver>(chunk.total, data->pool);
    receiver = found->second;
  }
  DL_ASSIGN_OR_RETURN(Receiver::Progress progress,
                      receiver->Take(chunk.offset, chunk.total, chunk.chunk_xxh3, chunk.bytes));
  if (progress == Receiver::Progress::kMore) return absl::OkStatus();
  const std::shared_ptr<FloatBuffer> vector = receiver->vector();
  const bool good = std::ranges::any_of(parts, [&](const averaging::PartLayout& part) {
    return fits(part) && PartSha256(part.table, vector->span()) == chunk.sha256;
  });
  if (!good) {
    receiver->Reset();
    return DataLoss(
        {.message = "an offered part is not what its name says", .where = chunk.sha256});
  }
  {
    MutexLock lock(mutex_);
    data->arrived_parts[chunk.sha256] = vector;
  }
  options_.post(PartArrived{chunk.job, chunk.sha256});
  return absl::OkStatus();
}

void MergeEngine::Do(const ReleaseJob& effect) {
  MutexLock lock(mutex_);
  jobs_.erase(effect.job);
}

}  // namespace dl::master
