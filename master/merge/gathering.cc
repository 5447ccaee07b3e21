// Contributions of a round that is gathered: each is received, verified, added and let go of.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "averaging/partial_sum.h"
#include "base/checksum.h"
#include "base/log.h"
#include "base/part_name.h"
#include "master/merge/merge_engine.h"

namespace dl::master {
namespace {

UnitId FirstUnit(const ExpectGather& expected) {
  return {expected.job, UnitKind::kTrain, expected.round, expected.inputs.front().worker};
}

std::vector<RoundMerger::Contribution> Contributions(const ExpectGather& expected) {
  std::vector<RoundMerger::Contribution> contributions;
  for (const ExpectGather::Input& input : expected.inputs)
    contributions.push_back({.worker = input.worker, .hash = input.hash});
  return contributions;
}

// What the worker keeps to itself of what came, which is that input's contribution or the sum that
// it is in; in the layout's order.
std::vector<std::span<const std::byte>> WorkerParts(const averaging::StateLayout& layout,
                                                    const ExpectGather& expected, size_t input,
                                                    const FloatBuffer& content) {
  if (expected.sum)
    return averaging::WorkerPartsOf(layout, static_cast<int64_t>(input), AsBytes(content));
  std::vector<std::span<const std::byte>> parts;
  for (const averaging::PartLayout* part : layout.Of(averaging::PartScope::kWorker))
    parts.push_back(std::as_bytes(part->In(content.span())));
  return parts;
}

std::span<const float> AsFloats(std::span<const std::byte> bytes) {
  // Received into a buffer of floats, and worker parts lie in it as such.
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

}  // namespace

void MergeEngine::Do(const OpenGather& effect) {
  std::shared_ptr<JobData> data;
  {
    MutexLock lock(mutex_);
    const auto found = jobs_.find(effect.job);
    if (found == jobs_.end()) return;
    data = found->second;
    data->gathers.clear();
    data->worker_parts.clear();
  }
  merges_.Post([data, effect] {
    data->opened.reset();
    const Status opened = data->merger.OpenGather(effect.round, effect.exponents);
    if (!opened.ok()) LogError("gathering a round of ", effect.job, ": ", DescribeError(opened));
  });
}

void MergeEngine::Do(const ExpectGather& effect) {
  MutexLock lock(mutex_);
  const auto found = jobs_.find(effect.job);
  if (found == jobs_.end()) return;
  JobData& data = *found->second;
  const averaging::StateLayout& layout = data.material.layout();
  const int64_t bytes =
      effect.sum ? averaging::PartialSumBytes(layout, static_cast<int64_t>(effect.inputs.size()))
                 : layout.unit.size() * static_cast<int64_t>(sizeof(float));
  data.gathers[effect.number] = {.expected = std::make_shared<const ExpectGather>(effect),
                                 .receiver = std::make_shared<Receiver>(bytes, data.pool)};
}

void MergeEngine::Do(const DropGather& effect) {
  MutexLock lock(mutex_);
  if (const auto found = jobs_.find(effect.job); found != jobs_.end())
    found->second->gathers.erase(effect.number);
}

StatusOr<rpc::ContributionReply> MergeEngine::ContributeGathered(
    const rpc::ContributionChunk& chunk) {
  const rpc::ContributionReply unwanted{rpc::Receipt::kUnwanted};
  std::shared_ptr<JobData> data;
  Arriving arriving;
  {
    MutexLock lock(mutex_);
    const auto job = jobs_.find(chunk.unit.job);
    if (job == jobs_.end()) return unwanted;
    data = job->second;
    const auto found = data->gathers.find(chunk.gather);
    if (found == data->gathers.end()) return unwanted;
    arriving = found->second;
  }
  if (arriving.receiver == nullptr) return rpc::ContributionReply{rpc::Receipt::kComplete};
  const ExpectGather& expected = *arriving.expected;
  auto progress = arriving.receiver->Take(chunk.offset, chunk.total, chunk.chunk_xxh3, chunk.bytes);
  if (!progress.ok()) return WithContext(progress.status(), ToString(FirstUnit(expected)));
  if (*progress == Receiver::Progress::kMore) return rpc::ContributionReply{rpc::Receipt::kMore};

  const std::shared_ptr<FloatBuffer> content = arriving.receiver->vector();
  if (Status status = CheckGathered(*data, expected, chunk.hash, *content); !status.ok()) {
    arriving.receiver->Reset();
    options_.post(GatherRefused{.job = expected.job,
                                .round = expected.round,
                                .number = expected.number,
                                .session = chunk.session,
                                .status = status});
    return status;
  }
  {
    MutexLock lock(mutex_);
    const auto found = data->gathers.find(chunk.gather);
    if (found == data->gathers.end()) return unwanted;
    // Two connections may bring it at the same time.
    if (std::exchange(found->second.receiver, nullptr) == nullptr)
      return rpc::ContributionReply{rpc::Receipt::kComplete};
    merges_.Post([this, data, expected = arriving.expected, session = chunk.session, content] {
      AddGathered(data, *expected, session, content);
    });
  }
  return rpc::ContributionReply{rpc::Receipt::kComplete};
}

Status MergeEngine::CheckGathered(const JobData& data, const ExpectGather& expected, uint64_t hash,
                                  const FloatBuffer& content) {
  const std::string where = ToString(FirstUnit(expected));
  const averaging::StateLayout& layout = data.material.layout();
  if (!expected.sum) {
    const ExpectGather::Input& input = expected.inputs.front();
    return WithContext(Verify(data, content, input.hash, input.magnitudes), where);
  }
  if (Xxh3(AsBytes(content)) != hash)
    return DataLoss({.message = "a sum is not what was sent", .where = where});
  const std::vector<const averaging::PartLayout*> own = layout.Of(averaging::PartScope::kWorker);
  for (size_t i = 0; i < expected.inputs.size(); ++i) {
    const auto parts = WorkerParts(layout, expected, i, content);
    for (size_t k = 0; k < own.size(); ++k) {
      if (PartSha256(own[k]->table, AsFloats(parts[k])) == expected.inputs[i].parts[k].sha256)
        continue;
      return DataLoss({.message = absl::StrCat("what worker ", expected.inputs[i].worker,
                                               " keeps is not what was announced"),
                       .where = where});
    }
  }
  return absl::OkStatus();
}

// On the merge thread, behind what opened the gathering that it belongs to.
void MergeEngine::AddGathered(const std::shared_ptr<JobData>& data, const ExpectGather& expected,
                              uint64_t session, const std::shared_ptr<FloatBuffer>& content) {
  {
    MutexLock lock(mutex_);
    if (!data->gathers.contains(expected.number)) return;  // dropped meanwhile
  }
  const auto refuse = [&](Status status) {
    options_.post(
        GatherRefused{expected.job, expected.round, expected.number, session, std::move(status)});
  };
  if (expected.opens != 0) {
    const StatusOr<bool> honest = Compare(*data, expected, *content);
    if (!honest.ok()) return refuse(honest.status());
    if (!*honest)
      return options_.post(SumContradicted{expected.job, expected.round, expected.opens, session});
    return options_.post(Gathered{expected.job, expected.round, expected.number, session});
  }
  std::vector<RoundMerger::Contribution> contributions = Contributions(expected);
  Status added;
  if (expected.sum) {
    added = data->merger.AddGathered(contributions,
                                     averaging::SumsOf(data->material.layout(), AsBytes(*content)));
    if (added.ok() && expected.opened) added = OpenSum(*data, expected, content);
  } else {
    contributions.front().vector = content;
    contributions.front().magnitudes = expected.inputs.front().magnitudes;
    added = data->merger.AddGathered(contributions.front());
  }
  if (added.ok()) added = KeepWorkerParts(*data, expected, *content);
  if (!added.ok()) return refuse(std::move(added));
  options_.post(Gathered{expected.job, expected.round, expected.number, session});
}

Status MergeEngine::OpenSum(JobData& data, const ExpectGather& expected,
                            const std::shared_ptr<FloatBuffer>& content) {
  DL_ASSIGN_OR_RETURN(averaging::PartialSum parts,
                      averaging::PartialSum::Create(data.material.layout(), data.merger.grid(),
                                                    data.merger.weights().sum));
  data.opened.emplace(OpenedSum{.number = expected.number,
                                .content = content,
                                .parts = std::move(parts),
                                .left = expected.inputs.size()});
  return absl::OkStatus();
}

StatusOr<bool> MergeEngine::Compare(JobData& data, const ExpectGather& expected,
                                    const FloatBuffer& content) {
  if (!data.opened || data.opened->number != expected.opens)
    return Internal({.message = "a part of a sum that is not open", .where = expected.job});
  const ExpectGather::Input& input = expected.inputs.front();
  OpenedSum& opened = *data.opened;
  DL_RETURN_IF_ERROR(opened.parts->Add(content.span(), data.merger.weights().weight[input.worker],
                                       input.magnitudes));
  if (--opened.left > 0) return true;
  const auto sums = averaging::SumsOf(data.material.layout(), AsBytes(*opened.content));
  const bool same = std::ranges::equal(opened.parts->pieces().front(), sums);
  data.opened.reset();
  return same;
}

Status MergeEngine::KeepWorkerParts(JobData& data, const ExpectGather& expected,
                                    const FloatBuffer& content) {
  const averaging::StateLayout& layout = data.material.layout();
  const std::vector<const averaging::PartLayout*> own = layout.Of(averaging::PartScope::kWorker);
  for (size_t i = 0; i < expected.inputs.size(); ++i) {
    const auto parts = WorkerParts(layout, expected, i, content);
    for (size_t k = 0; k < own.size(); ++k) {
      const std::span<const float> values = AsFloats(parts[k]);
      DL_ASSIGN_OR_RETURN(const std::shared_ptr<FloatBuffer> copy,
                          data.pool.Take(own[k]->table.size()));
      std::copy(values.begin(), values.end(), copy->data());
      MutexLock lock(mutex_);
      data.worker_parts[own[k]->KeyOf(expected.inputs[i].worker)] = copy;
    }
  }
  return absl::OkStatus();
}

StatusOr<std::shared_ptr<const RoundState>> MergeEngine::MergeGathered(const Merge& effect) {
  DL_ASSIGN_OR_RETURN(std::shared_ptr<JobData> data, DataOf(effect.job));
  std::shared_ptr<const RoundState> base;
  std::vector<RoundMerger::Contribution> inputs;
  std::map<std::string, SharedVector> worker_parts;
  {
    MutexLock lock(mutex_);
    const auto found = data->states.find(effect.round - 1);
    if (found == data->states.end())
      return Internal({.message = "the round's base state is gone", .where = effect.job});
    base = found->second;
    for (const Merge::Input& input : effect.inputs) {
      inputs.push_back({.worker = input.worker, .hash = input.hash});
      for (const averaging::PartLayout* part :
           data->material.layout().Of(averaging::PartScope::kWorker)) {
        const std::string key = part->KeyOf(input.worker);
        const auto gathered = data->worker_parts.find(key);
        if (gathered == data->worker_parts.end())
          return Internal({.message = "a worker's part was not gathered", .where = effect.job});
        worker_parts.emplace(key, gathered->second);
      }
    }
  }
  return NextState(*data, *base, std::move(worker_parts), [&](RoundMerger::Parts global) {
    return data->merger.FinishGathered(inputs, global);
  });
}

}  // namespace dl::master
