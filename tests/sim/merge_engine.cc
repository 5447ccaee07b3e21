#include "tests/sim/merge_engine.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "averaging/partial_sum.h"
#include "base/checksum.h"
#include "master/core/keys.h"

namespace dl::sim {

void MergeEngine::Later(Duration longest, std::function<void()> action) {
  const Duration wait(
      static_cast<int64_t>(options_.random.Bounded(static_cast<uint64_t>(longest.count()) + 1)));
  agenda_.After(wait, std::move(action));
}

MergeEngine::JobData& MergeEngine::DataOf(const std::string& job) {
  auto [place, fresh] = jobs_.try_emplace(job);
  if (fresh) place->second.life = ++lives_;
  if (fresh) place->second.job = JobFromSpec(options_.disk->specs.at(job));
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
      for (const auto& [key, name] : effect.parts.parts)
        state.parts.emplace(key, data.parts.at(name));
      return state;
    }
    default: {
      const auto found = options_.disk->checkpoints.find(effect.checkpoint_manifest);
      if (found == options_.disk->checkpoints.end())
        return NotFound({.message = "no such checkpoint on the disk"});
      if (found->second.damaged)
        return DataLoss({.message = "a chunk's checksum is wrong (planted)"});
      if (effect.source == master::PrepareState::Source::kCheckpoint) return found->second.state;
      const bool all = effect.source == master::PrepareState::Source::kOtherCheckpoint;
      return StateFrom(data.job, found->second.state, all ? TakenOver::kAll : TakenOver::kWeights);
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
  data.gathers.clear();
  data.sum.reset();
}

void MergeEngine::Do(const master::OpenGather& effect) {
  JobData& data = DataOf(effect.job);
  data.gathers.clear();
  data.added.clear();
  data.opened = {};
  data.grid = effect.exponents;
  data.worker_parts.clear();
  data.strategy = StrategyOf(data.job);
  data.sum = std::make_shared<averaging::RoundMean>(data.strategy->layout());
  auto weights = data.strategy->WeightsOf(data.weights);
  DL_CHECK(weights.ok());
  DL_CHECK(data.sum->Open({.weights = *std::move(weights), .grid = effect.exponents}).ok());
}

void MergeEngine::Do(const master::ExpectGather& effect) {
  DataOf(effect.job).gathers[effect.number] = {.expected = effect};
}

void MergeEngine::Do(const master::DropGather& effect) {
  DataOf(effect.job).gathers.erase(effect.number);
}

void MergeEngine::Do(const master::ExpectContribution& effect) {
  DataOf(effect.unit.job).staged[effect.unit] = {
      .number = effect.number, .session = effect.session, .hash = effect.hash};
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
  if (effect.gathered) {
    bool same = data.added.size() == effect.inputs.size();
    for (const master::Merge::Input& input : effect.inputs) {
      const auto added = data.added.find(input.worker);
      same &= added != data.added.end() && added->second == input.hash;
    }
    if (!same)
      return options_.breach(absl::StrCat("round ", effect.round,
                                          " is made of other contributions "
                                          "than were gathered"));
  }
  for (const master::Merge::Input& input : effect.inputs) {
    if (effect.gathered) break;
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
  State gathered = before->second;
  if (effect.gathered) {
    StatusOr<State> closed = CloseRound(data.job, gathered, *data.sum, data.worker_parts);
    if (!closed.ok())
      return options_.breach("closing a gathered round: " + DescribeError(closed.status()));
    gathered = *std::move(closed);
  }
  Later(std::chrono::milliseconds(20), [this, effect, life = data.life, taken = std::move(taken),
                                        state = before->second, weights = data.weights,
                                        gathered = std::move(gathered)] {
    JobData& now = DataOf(effect.job);
    if (now.life != life) return;  // released meanwhile
    std::vector<MergeInput> inputs;
    for (const auto& [worker, bytes] : taken) inputs.push_back({worker, &bytes});
    StatusOr<State> after =
        effect.gathered ? gathered : MergeRound(now.job, state, weights, inputs, effect.exponents);
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
      event.manifest =
          Json{{"nonce", options_.disk->next_nonce++}, {"job", effect.job}, {"round", effect.round}}
              .dump();
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
  if (found == data->second.staged.end() || found->second.hash != hash ||
      found->second.session != session)
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

rpc::ContributionReply MergeEngine::Gather(uint64_t session, const std::string& job,
                                           uint64_t number, const std::string& content, bool last) {
  if (options_.random.Bounded(20) == 0) return {rpc::Receipt::kWait, 50};
  const auto data = jobs_.find(job);
  if (data == jobs_.end()) return {rpc::Receipt::kUnwanted, 0};
  const auto found = data->second.gathers.find(number);
  if (found == data->second.gathers.end() || found->second.expected.session != session)
    return {rpc::Receipt::kUnwanted, 0};
  if (!last) return {rpc::Receipt::kMore, 0};
  if (!std::exchange(found->second.whole, true)) {
    Later(std::chrono::milliseconds(20),
          [this, life = data->second.life, job, number, session, content] {
            const auto now = jobs_.find(job);
            if (now == jobs_.end() || now->second.life != life) return;
            AddGathered(job, number, session, content);
          });
  }
  return {rpc::Receipt::kComplete, 0};
}

void MergeEngine::AddGathered(const std::string& job, uint64_t number, uint64_t session,
                              const std::string& content) {
  JobData& data = jobs_.at(job);
  const auto found = data.gathers.find(number);
  if (found == data.gathers.end()) return;  // dropped meanwhile
  const master::ExpectGather& expected = found->second.expected;
  const averaging::StateLayout& layout = data.strategy->layout();
  const auto bytes = std::as_bytes(std::span(content));
  std::vector<int64_t> workers;
  Status added;
  for (const auto& input : expected.inputs) workers.push_back(input.worker);
  Vector whole;
  if (expected.sum) {
    // A lie may be beyond what any contributions can sum to: the one that is seen at once.
    added = data.sum->AccumulateSum(workers, averaging::SumsOf(layout, bytes));
    if (!added.ok())
      return options_.post(master::GatherRefused{job, expected.round, number, session, added});
    if (expected.opened)
      data.opened = {.number = number, .content = content, .inputs = workers.size()};
  } else {
    whole.resize(bytes.size() / sizeof(float));
    std::memcpy(whole.data(), bytes.data(), bytes.size());
    if (Xxh3(bytes) != expected.inputs.front().hash)
      return options_.breach("what is gathered is not what was announced");
    if (expected.opens != 0) {
      data.opened.parts[expected.inputs.front().worker] = whole;
      if (data.opened.number != expected.opens)
        return options_.breach("a part of a sum that is not open");
      if (data.opened.parts.size() == data.opened.inputs) {
        auto parts = averaging::PartialSum::Create(layout, data.grid, data.sum->weights().sum);
        DL_CHECK(parts.ok());
        for (const auto& [worker, part] : data.opened.parts)
          DL_CHECK(parts->Add(part, data.sum->weights().weight[worker], {}).ok());
        if (!std::ranges::equal(
                parts->pieces().front(),
                averaging::SumsOf(layout, std::as_bytes(std::span(data.opened.content)))))
          return options_.post(
              master::SumContradicted{job, expected.round, expected.opens, session});
      }
      return options_.post(master::Gathered{job, expected.round, number, session});
    }
    added = data.sum->Accumulate(workers.front(), whole);
  }
  if (!added.ok()) return options_.breach("adding what was gathered: " + DescribeError(added));
  for (size_t i = 0; i < expected.inputs.size(); ++i) {
    const master::ExpectGather::Input& input = expected.inputs[i];
    data.added[input.worker] = input.hash;
    const auto own = layout.Of(averaging::PartScope::kWorker);
    for (size_t k = 0; k < own.size(); ++k) {
      const std::span<const std::byte> part =
          expected.sum ? averaging::WorkerPartsOf(layout, static_cast<int64_t>(i), bytes)[k]
                       : std::as_bytes(own[k]->In(whole));
      Vector& kept = data.worker_parts[own[k]->KeyOf(input.worker)];
      kept.resize(part.size() / sizeof(float));
      std::memcpy(kept.data(), part.data(), part.size());
      if (NameOf(kept) != input.parts[k].sha256)
        options_.breach("a worker's part is not what was announced");
    }
  }
  options_.post(master::Gathered{job, expected.round, number, session});
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
