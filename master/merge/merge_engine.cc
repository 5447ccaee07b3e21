#include "master/merge/merge_engine.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/limits.h"

namespace dl::master {
namespace {

std::string WorkerPart(size_t worker) { return absl::StrCat("worker-", worker); }

StatusOr<SharedVector> ReadPart(storage::CheckpointStore& store,
                                const storage::CheckpointManifest& manifest,
                                const std::string& name, int64_t floats) {
  const int index = manifest.PartIndex(name);
  if (index < 0 || manifest.parts[index].bytes != floats * static_cast<int64_t>(sizeof(float))) {
    return InvalidArgument(
        {.message = absl::StrCat("the model's part \"", name, "\" has ", floats,
                                 " values, the checkpoint's has ",
                                 index < 0 ? 0 : manifest.parts[index].bytes / 4),
         .where = manifest.Name(),
         .remedy = "Use a checkpoint of the same model and updater"});
  }
  DL_ASSIGN_OR_RETURN(FloatBuffer buffer, FloatBuffer::Create(floats));
  DL_RETURN_IF_ERROR(store.Read(manifest, name, std::as_writable_bytes(buffer.span())));
  return std::make_shared<const FloatBuffer>(std::move(buffer));
}

}  // namespace

StatusOr<std::shared_ptr<MergeEngine::JobData>> MergeEngine::DataOf(const std::string& job) {
  MutexLock lock(mutex_);
  auto found = jobs_.find(job);
  if (found == jobs_.end())
    return NotFound({.message = absl::StrCat("job ", job, " is not running")});
  return found->second;
}

void MergeEngine::Do(const PrepareState& effect) {
  merges_.Post([this, effect] {
    StatePrepared event{.job = effect.job, .round = effect.round};
    auto material = options_.material(effect.job);
    if (!material.ok()) {
      event.status = material.status();
      options_.post(std::move(event));
      return;
    }
    auto state = Prepare(effect, *material);
    if (!state.ok()) {
      event.status = state.status();
    } else {
      state->names = NameState(material->layout, *state);
      event.names = state->names;
      MutexLock lock(mutex_);
      auto& data = jobs_[effect.job];
      if (data == nullptr) {
        data = std::make_shared<JobData>();
        data->strategy = std::make_unique<averaging::AverageStrategy>(material->layout);
        data->material = *std::move(material);
      }
      data->staged.clear();
      data->states.clear();
      data->published = -1;
      data->states[effect.round] = std::make_shared<const RoundState>(*std::move(state));
    }
    options_.post(std::move(event));
  });
}

StatusOr<RoundState> MergeEngine::Prepare(const PrepareState& effect, const JobMaterial& material) {
  RoundState state;
  if (effect.source == PrepareState::Source::kParts) {
    DL_ASSIGN_OR_RETURN(std::shared_ptr<JobData> data, DataOf(effect.job));
    MutexLock lock(mutex_);
    state.global = data->arrived_parts[effect.parts.global_sha256];
    for (const std::string& name : effect.parts.worker_sha256)
      state.workers.push_back(data->arrived_parts[name]);
    data->arrived_parts.clear();
    data->expected_parts.clear();
    const bool whole =
        state.global != nullptr && std::all_of(state.workers.begin(), state.workers.end(),
                                               [](const auto& w) { return w != nullptr; });
    if (!whole)
      return Internal({.message = "a part of the state has not arrived", .where = effect.job});
    return state;
  }
  if (effect.source == PrepareState::Source::kInitial) {
    const std::vector<float> unit = material.initial_state();
    const averaging::UnitParts parts = averaging::SplitUnitState(material.layout, unit);
    DL_ASSIGN_OR_RETURN(state.global, CopyVector(parts.global));
    if (material.layout.worker.size() > 0) {
      DL_ASSIGN_OR_RETURN(SharedVector worker, CopyVector(parts.worker));
      state.workers.assign(material.workers, worker);
    }
    return state;
  }
  return FromCheckpoint(effect, material);
}

StatusOr<RoundState> MergeEngine::FromCheckpoint(const PrepareState& effect,
                                                 const JobMaterial& material) {
  DL_ASSIGN_OR_RETURN(Json json, ParseJson(effect.checkpoint_manifest, "checkpoint manifest"));
  DL_ASSIGN_OR_RETURN(storage::CheckpointManifest manifest,
                      storage::CheckpointManifestFromJson(json, "manifest"));
  RoundState state;
  if (effect.source != PrepareState::Source::kWeightsOnly) {
    DL_ASSIGN_OR_RETURN(state.global, ReadPart(*options_.checkpoints, manifest, "global",
                                               material.layout.global.size()));
    if (material.layout.worker.size() > 0) {
      for (int64_t m = 0; m < material.workers; ++m) {
        DL_ASSIGN_OR_RETURN(SharedVector worker,
                            ReadPart(*options_.checkpoints, manifest, WorkerPart(m),
                                     material.layout.worker.size()));
        state.workers.push_back(std::move(worker));
      }
    }
    return state;
  }
  // Weights only: parameters and moments come first in every layout; updater state begins at zero.
  DL_ASSIGN_OR_RETURN(JobMaterial source, options_.material(manifest.id.job));
  constexpr SegmentKind kWeights[] = {SegmentKind::kParameter, SegmentKind::kMean,
                                      SegmentKind::kVariance};
  const SegmentTable wanted = material.layout.unit.Subset(kWeights);
  if (!(wanted == source.layout.unit.Subset(kWeights))) {
    return InvalidArgument(
        {.message = "the checkpoint is of another model",
         .where = manifest.Name(),
         .remedy = "Use a checkpoint of a model with the same layers, names and sizes"});
  }
  DL_ASSIGN_OR_RETURN(SharedVector weights, ReadPart(*options_.checkpoints, manifest, "global",
                                                     source.layout.global.size()));
  std::vector<float> unit(material.layout.unit.size(), 0.0f);
  std::copy_n(weights->data(), wanted.size(), unit.begin());
  const averaging::UnitParts parts = averaging::SplitUnitState(material.layout, unit);
  DL_ASSIGN_OR_RETURN(state.global, CopyVector(parts.global));
  if (material.layout.worker.size() > 0) {
    DL_ASSIGN_OR_RETURN(SharedVector worker, CopyVector(parts.worker));
    state.workers.assign(material.workers, worker);
  }
  return state;
}

void MergeEngine::Do(const OpenRound& effect) {
  MutexLock lock(mutex_);
  auto found = jobs_.find(effect.job);
  if (found == jobs_.end()) return;
  found->second->weights = effect.weights;
  std::erase_if(found->second->staged,
                [&](const auto& entry) { return entry.first.round != effect.round; });
}

void MergeEngine::Do(const ExpectContribution& effect) {
  MutexLock lock(mutex_);
  auto found = jobs_.find(effect.unit.job);
  if (found == jobs_.end()) return;
  found->second->staged[effect.unit] = {effect.hash, effect.magnitudes,
                                        std::make_shared<Receiver>(effect.bytes)};
}

void MergeEngine::Do(const DropContribution& effect) {
  MutexLock lock(mutex_);
  auto found = jobs_.find(effect.unit.job);
  if (found == jobs_.end()) return;
  auto staged = found->second->staged.find(effect.unit);
  if (staged != found->second->staged.end() && staged->second.hash == effect.hash) {
    found->second->staged.erase(staged);
  }
}

StatusOr<rpc::ContributionReply> MergeEngine::Contribute(const rpc::ContributionChunk& chunk) {
  const rpc::ContributionReply unwanted{rpc::Receipt::kUnwanted};
  std::shared_ptr<JobData> data;
  std::shared_ptr<Receiver> receiver;
  averaging::Magnitudes announced;
  {
    MutexLock lock(mutex_);
    auto found = jobs_.find(chunk.unit.job);
    if (found == jobs_.end()) return unwanted;
    data = found->second;
    auto staged = data->staged.find(chunk.unit);
    if (staged == data->staged.end() || staged->second.hash != chunk.hash) return unwanted;
    if (staged->second.complete) return rpc::ContributionReply{rpc::Receipt::kComplete};
    receiver = staged->second.receiver;
    announced = staged->second.magnitudes;
  }
  auto progress = receiver->Take(chunk.offset, chunk.total, chunk.chunk_xxh3, chunk.bytes);
  if (!progress.ok()) return WithContext(progress.status(), ToString(chunk.unit));
  if (*progress == Receiver::Progress::kMore) return rpc::ContributionReply{rpc::Receipt::kMore};

  const std::shared_ptr<FloatBuffer> vector = receiver->vector();
  if (Xxh3(AsBytes(*vector)) != chunk.hash) {
    receiver->Reset();
    return DataLoss({.message = "a contribution is not what was announced",
                     .where = ToString(chunk.unit),
                     .remedy = "Send it again"});
  }
  auto magnitudes = data->strategy->MeasureContribution(vector->span());
  if (!magnitudes.ok() || *magnitudes != announced) {
    receiver->Reset();
    return InvalidArgument(
        {.message = "a contribution's magnitudes are not those that were announced",
         .where = ToString(chunk.unit)});
  }
  {
    MutexLock lock(mutex_);
    auto staged = data->staged.find(chunk.unit);
    if (staged == data->staged.end() || staged->second.hash != chunk.hash) return unwanted;
    if (staged->second.complete) return rpc::ContributionReply{rpc::Receipt::kComplete};
    staged->second.complete = true;
  }
  options_.post(ContributionStaged{chunk.unit, chunk.hash, chunk.session});
  return rpc::ContributionReply{rpc::Receipt::kComplete};
}

void MergeEngine::Do(const Merge& effect) {
  merges_.Post([this, effect] {
    RoundMerged event{.job = effect.job, .round = effect.round};
    auto state = MergeRound(effect);
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
  struct Input {
    int32_t worker;
    std::shared_ptr<FloatBuffer> vector;
    averaging::Magnitudes magnitudes;
  };
  std::vector<Input> inputs;
  std::shared_ptr<const RoundState> base;
  std::vector<int64_t> weights;
  {
    MutexLock lock(mutex_);
    auto found = data->states.find(effect.round - 1);
    if (found == data->states.end())
      return Internal({.message = "the round's base state is gone", .where = effect.job});
    base = found->second;
    weights = data->weights;
    for (const Merge::Input& input : effect.inputs) {
      auto staged = data->staged.find({effect.job, UnitKind::kTrain, effect.round, input.worker});
      if (staged == data->staged.end() || staged->second.hash != input.hash ||
          !staged->second.complete) {
        return Internal(
            {.message = absl::StrCat("worker ", input.worker, "'s contribution is not staged"),
             .where = effect.job});
      }
      inputs.push_back(
          {input.worker, staged->second.receiver->vector(), staged->second.magnitudes});
    }
  }
  averaging::AverageStrategy& strategy = *data->strategy;
  const averaging::StateLayout& layout = strategy.layout();
  DL_RETURN_IF_ERROR(strategy.OpenRound({.examples = weights, .grid = effect.exponents}));
  for (const Input& input : inputs) {
    DL_RETURN_IF_ERROR(strategy.AnnounceContribution(input.worker, input.magnitudes).status());
  }
  for (const Input& input : inputs) {
    DL_RETURN_IF_ERROR(strategy.AccumulateContribution(input.worker, input.vector->span()));
  }
  DL_ASSIGN_OR_RETURN(FloatBuffer global, FloatBuffer::Create(layout.global.size()));
  DL_RETURN_IF_ERROR(strategy.CloseRound(global.span()));
  auto state = std::make_shared<RoundState>();
  state->global = std::make_shared<const FloatBuffer>(std::move(global));
  state->workers = base->workers;  // a worker without a step in this round keeps what it has
  for (const Input& input : inputs) {
    if (state->workers.empty()) break;
    DL_ASSIGN_OR_RETURN(state->workers[input.worker],
                        CopyVector(averaging::SplitUnitState(layout, input.vector->span()).worker));
  }
  state->names = NameState(layout, *state);
  return std::shared_ptr<const RoundState>(std::move(state));
}

void MergeEngine::Do(const Publish& effect) {
  MutexLock lock(mutex_);
  auto found = jobs_.find(effect.job);
  if (found == jobs_.end()) return;
  JobData& data = *found->second;
  data.published = effect.round;
  data.states.erase(data.states.begin(), data.states.lower_bound(effect.round));
  std::erase_if(data.staged, [&](const auto& entry) { return entry.first.round <= effect.round; });
}

StatusOr<rpc::Chunk> MergeEngine::FetchPart(const rpc::FetchRequest& request) {
  SharedVector part;
  {
    MutexLock lock(mutex_);
    auto found = jobs_.find(request.job);
    if (found != jobs_.end()) {
      auto state = found->second->states.find(found->second->published);
      if (state != found->second->states.end()) part = state->second->Find(request.sha256);
    }
  }
  if (part == nullptr) {
    return NotFound(
        {.message = absl::StrCat("job ", request.job, " has no current state ", request.sha256)});
  }
  const std::span<const std::byte> bytes = AsBytes(*part);
  const int64_t total = static_cast<int64_t>(bytes.size());
  if (request.offset < 0 || request.offset > total || request.length < 0 ||
      request.length > limits::kChunkBytes) {
    return InvalidArgument({.message = "a request for bytes outside of a part"});
  }
  const auto slice =
      bytes.subspan(request.offset, std::min<int64_t>(request.length, total - request.offset));
  rpc::Chunk chunk{.total = total, .offset = request.offset, .chunk_xxh3 = Xxh3(slice)};
  chunk.bytes.assign(reinterpret_cast<const char*>(slice.data()), slice.size());
  return chunk;
}

void MergeEngine::Do(const ExpectPart& effect) {
  auto data = DataOf(effect.job);
  if (!data.ok()) return;
  MutexLock lock(mutex_);
  auto state = (*data)->states.begin();
  if (state == (*data)->states.end()) return;
  // Which part it is shows when it is whole: global and worker parts differ in length, so the
  // sender's total decides.
  (*data)->expected_parts.emplace(effect.sha256, nullptr);
}

Status MergeEngine::OfferPart(const rpc::OfferChunk& chunk) {
  DL_ASSIGN_OR_RETURN(std::shared_ptr<JobData> data, DataOf(chunk.job));
  const averaging::StateLayout& layout = data->material.layout;
  const bool is_global = chunk.total == layout.global.size() * static_cast<int64_t>(sizeof(float));
  const bool is_worker = chunk.total == layout.worker.size() * static_cast<int64_t>(sizeof(float));
  if (!is_global && !is_worker)
    return InvalidArgument({.message = "an offered part has no part's size"});
  std::shared_ptr<Receiver> receiver;
  {
    MutexLock lock(mutex_);
    auto found = data->expected_parts.find(chunk.sha256);
    if (found == data->expected_parts.end()) return absl::OkStatus();  // no longer needed
    if (found->second == nullptr) found->second = std::make_shared<Receiver>(chunk.total);
    receiver = found->second;
  }
  DL_ASSIGN_OR_RETURN(Receiver::Progress progress,
                      receiver->Take(chunk.offset, chunk.total, chunk.chunk_xxh3, chunk.bytes));
  if (progress == Receiver::Progress::kMore) return absl::OkStatus();
  const std::shared_ptr<FloatBuffer> vector = receiver->vector();
  const bool good = (is_global && StateSha256(layout.global, vector->span()) == chunk.sha256) ||
                    (is_worker && StateSha256(layout.worker, vector->span()) == chunk.sha256);
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

void MergeEngine::Do(const WriteCheckpoint& effect) {
  // The state is taken now: by the time it is written the job may be rounds ahead.
  std::shared_ptr<const RoundState> state;
  uint64_t nonce = 0;
  {
    MutexLock lock(mutex_);
    auto found = jobs_.find(effect.job);
    if (found != jobs_.end()) {
      auto at = found->second->states.find(effect.round);
      if (at != found->second->states.end()) state = at->second;
    }
    nonce = next_nonce_++;
  }
  checkpoints_.Post([this, effect, state, nonce] {
    CheckpointWritten event{.job = effect.job, .round = effect.round};
    if (state == nullptr) {
      event.status = Internal({.message = "the state to be written is gone", .where = effect.job});
      options_.post(std::move(event));
      return;
    }
    std::vector<storage::PartBytes> parts = {{"global", AsBytes(*state->global)}};
    for (size_t m = 0; m < state->workers.size(); ++m)
      parts.push_back({WorkerPart(m), AsBytes(*state->workers[m])});
    auto manifest =
        options_.checkpoints->Write({.id = {effect.job, effect.round, options_.term, nonce},
                                     .state_sha256 = state->names.state_sha256,
                                     .parts = parts});
    if (manifest.ok()) {
      event.manifest = storage::ToJson(*manifest).dump();
    } else {
      event.status = manifest.status();
    }
    options_.post(std::move(event));
  });
}

void MergeEngine::Do(const DeleteCheckpoint& effect) {
  checkpoints_.Post([this, effect] {
    auto json = ParseJson(effect.manifest, "checkpoint manifest");
    if (!json.ok()) return;
    auto manifest = storage::CheckpointManifestFromJson(*json, "manifest");
    // What is left behind by a failure here is collected at the next open.
    if (manifest.ok()) (void)options_.checkpoints->Delete(*manifest);
  });
}

void MergeEngine::Do(const ReleaseJob& effect) {
  MutexLock lock(mutex_);
  jobs_.erase(effect.job);
}

}  // namespace dl::master
