#include "tests/sim/merge_engine.h"

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "master/core/keys.h"

namespace dl::sim {

void MergeEngine::Later(Duration longest, std::function<void()> action) {
  const Duration wait(
      static_cast<int64_t>(options_.random.Bounded(static_cast<uint64_t>(longest.count()) + 1)));
  options_.time->After(wait, [alive = std::weak_ptr<bool>(alive_), action = std::move(action)] {
    if (!alive.expired()) action();
  });
}

MergeEngine::JobData& MergeEngine::DataOf(const std::string& job) {
  auto [place, fresh] = jobs_.try_emplace(job);
  if (fresh) place->second.life = ++lives_;
  if (fresh)
    place->second.job = JobFromSpec(options_.disk->meta.Get(master::keys::Spec(job))->value());
  return place->second;
}

StatusOr<State> MergeEngine::Prepare(const master::PrepareState& effect) {
  JobData& data = DataOf(effect.job);
  switch (effect.source) {
    case master::PrepareState::Source::kInitial:
      return FirstState(data.job);
    case master::PrepareState::Source::kParts: {
      State state;
      state.names = effect.parts;
      state.global = data.parts.at(effect.parts.global_sha256);
      for (const std::string& worker : effect.parts.worker_sha256)
        state.workers.push_back(data.parts.at(worker));
      return state;
    }
    default: {
      const auto found = options_.disk->checkpoints.find(effect.checkpoint_manifest);
      if (found == options_.disk->checkpoints.end())
        return NotFound({.message = "no such checkpoint on the disk"});
      if (found->second.damaged)
        return DataLoss({.message = "a chunk's checksum is wrong (planted)"});
      return found->second.state;
    }
  }
}

void MergeEngine::Do(const master::PrepareState& effect) {
  Later(std::chrono::milliseconds(100), [this, effect] {
    StatusOr<State> state = Prepare(effect);
    master::StatePrepared event{.job = effect.job,
                                .round = effect.round,
                                .number = effect.number,
                                .status = state.status()};
    if (state.ok()) {
      event.names = state->names;
      JobData& data = DataOf(effect.job);
      data.states.clear();
      data.staged.clear();
      data.merge = 0;
      data.states[effect.round] = *std::move(state);
    }
    options_.post(event);
  });
}

void MergeEngine::Do(const master::OpenRound& effect) {
  JobData& data = DataOf(effect.job);
  data.weights = effect.weights;
  data.staged.clear();
}

void MergeEngine::Do(const master::ExpectContribution& effect) {
  DataOf(effect.unit.job).staged[effect.unit] = {.number = effect.number, .hash = effect.hash};
}

void MergeEngine::Do(const master::DropContribution& effect) {
  JobData& data = DataOf(effect.unit.job);
  const auto found = data.staged.find(effect.unit);
  if (found != data.staged.end() && found->second.number == effect.number) data.staged.erase(found);
}

// What it is made of is taken now: by the time it is done the core may want another one.
void MergeEngine::Do(const master::Merge& effect) {
  JobData& data = DataOf(effect.job);
  data.merge = effect.number;
  std::vector<std::pair<int32_t, Vector>> taken;
  for (const master::Merge::Input& input : effect.inputs) {
    const auto found = data.staged.find({effect.job, UnitKind::kTrain, effect.round, input.worker});
    if (found == data.staged.end() || found->second.hash != input.hash ||
        found->second.bytes.empty()) {
      options_.breach(absl::StrCat("a merge of round ", effect.round,
                                   " wants a contribution that is not staged"));
      return;
    }
    taken.emplace_back(input.worker, found->second.bytes);
  }
  const auto before = data.states.find(effect.round - 1);
  if (before == data.states.end()) {
    options_.breach(
        absl::StrCat("a merge of round ", effect.round, " without the state before it"));
    return;
  }
  Later(std::chrono::milliseconds(20), [this, effect, life = data.life, taken = std::move(taken),
                                        state = before->second, weights = data.weights] {
    JobData& now = DataOf(effect.job);
    if (now.life != life) return;  // released meanwhile
    std::vector<MergeInput> inputs;
    for (const auto& [worker, bytes] : taken) inputs.push_back({worker, &bytes});
    StatusOr<State> after = MergeRound(now.job, state, weights, inputs, effect.exponents);
    master::RoundMerged event{
        .job = effect.job, .round = effect.round, .merge = effect.number, .status = after.status()};
    if (after.ok()) {
      event.names = after->names;
      if (now.merge == effect.number) now.states[effect.round] = *std::move(after);
    }
    options_.post(event);
  });
}

void MergeEngine::Do(const master::Publish& effect) { DataOf(effect.job).published = effect.round; }

void MergeEngine::Do(const master::Retire& effect) {
  JobData& data = DataOf(effect.job);
  std::erase_if(data.states, [&](const auto& entry) { return entry.first != effect.round; });
  data.staged.clear();
}

void MergeEngine::Do(const master::ExpectPart& effect) {
  DataOf(effect.job).parts.try_emplace(effect.sha256);
}

void MergeEngine::Do(const master::WriteCheckpoint& effect) {
  JobData& data = DataOf(effect.job);
  const auto found = data.states.find(effect.round);
  if (found == data.states.end()) {
    options_.breach(
        absl::StrCat("a checkpoint of round ", effect.round, ", whose state is not there"));
    return;
  }
  Later(std::chrono::milliseconds(300), [this, effect, snapshot = found->second] {
    master::CheckpointWritten event{
        .job = effect.job, .round = effect.round, .state_sha256 = effect.state_sha256};
    if (options_.random.NextDouble() < options_.disk->checkpoint_failure) {
      event.status = ResourceExhausted({.message = "too little free space (planted)"});
    } else {
      event.manifest = Json{{"nonce", options_.disk->next_nonce++}, {"round", effect.round}}.dump();
      options_.disk->checkpoints[event.manifest] = {.state = snapshot};
    }
    options_.post(event);
  });
}

void MergeEngine::Do(const master::DeleteCheckpoint& effect) {
  options_.disk->checkpoints.erase(effect.manifest);
}

void MergeEngine::Do(const master::ReleaseJob& effect) { jobs_.erase(effect.job); }

StatusOr<Vector> MergeEngine::Fetch(const std::string& job, const std::string& sha256) const {
  const auto data = jobs_.find(job);
  if (data != jobs_.end()) {
    const auto state = data->second.states.find(data->second.published);
    const Vector* part = state == data->second.states.end() ? nullptr : state->second.Find(sha256);
    if (part != nullptr) return *part;
  }
  return NotFound({.message = "no such part"});
}

rpc::ContributionReply MergeEngine::Contribute(uint64_t session, const UnitId& unit, uint64_t hash,
                                               const Vector& bytes) {
  if (options_.random.Bounded(20) == 0) return {rpc::Receipt::kWait, 50};
  const auto data = jobs_.find(unit.job);
  if (data == jobs_.end()) return {rpc::Receipt::kUnwanted, 0};
  const auto found = data->second.staged.find(unit);
  if (found == data->second.staged.end() || found->second.hash != hash)
    return {rpc::Receipt::kUnwanted, 0};
  if (Xxh3(BytesOf(bytes)) != hash) {
    options_.breach("a contribution's bytes are not what its hash says");
    return {rpc::Receipt::kUnwanted, 0};
  }
  if (found->second.bytes.empty()) {
    found->second.bytes = bytes;
    options_.post(master::ContributionStaged{unit, found->second.number, session});
  }
  return {rpc::Receipt::kComplete, 0};
}

Status MergeEngine::Offer(const std::string& job, const std::string& sha256, const Vector& bytes) {
  const auto data = jobs_.find(job);
  if (data == jobs_.end()) return absl::OkStatus();
  const auto found = data->second.parts.find(sha256);
  if (found == data->second.parts.end() || !found->second.empty()) return absl::OkStatus();
  if (Sha256Hex(BytesOf(bytes)) != sha256)
    return DataLoss({.message = "the part is not what its name says"});
  found->second = bytes;
  options_.post(master::PartArrived{job, sha256});
  return absl::OkStatus();
}

}  // namespace dl::sim
