#include "tests/integration/plain_loop.h"

#include <algorithm>

#include "averaging/job_strategy.h"
#include "base/part_name.h"
#include "dataset/batch_reader.h"
#include "dataset/block_cutting.h"
#include "dataset/job_plan.h"
#include "dataset/readers/source.h"
#include "nn/conf/schedule.h"
#include "nn/conf/segments.h"
#include "nn/network.h"
#include "tests/support/memory_blocks.h"
#include "tests/support/merge_contributions.h"

namespace dl::test {
namespace {

// The inputs of a job before training.
struct Prepared {
  MemoryBlocks blocks;
  std::shared_ptr<const dataset::Dataset> data;
  std::shared_ptr<const averaging::Strategy> strategy;
  dataset::PlanInput plan;
  int64_t total_steps = 0, rounds = 0;
  std::shared_ptr<const dataset::Augmentation> augmentation;
};

// Fills `prepared`, which must not move afterwards: its dataset refers to its blocks.
Status Prepare(const job::JobSpec& spec, Prepared& prepared) {
  DL_ASSIGN_OR_RETURN(dataset::ExampleTable table, dataset::ReadSource(spec.data.train));
  DL_ASSIGN_OR_RETURN(dataset::NormalizerKind normalizer,
                      dataset::NormalizerKindFromName(job::WordOf(spec.data.normalizer)));
  const bool is_stream = spec.training.shuffle == job::ShuffleMode::kStream;
  const dataset::CutOptions cut{
      .normalizer = normalizer,
      .order = is_stream ? dataset::CutOrder::kSource : dataset::CutOrder::kShuffled};
  DL_ASSIGN_OR_RETURN(dataset::Manifest manifest, dataset::CutBlocks(table, cut, prepared.blocks));
  DL_ASSIGN_OR_RETURN(
      prepared.data,
      dataset::Dataset::Create(std::move(manifest),
                               std::make_shared<dataset::DecodedBlockCache>(prepared.blocks)));
  if (!spec.data.augmentation.empty()) {
    DL_ASSIGN_OR_RETURN(
        auto augmentation,
        dataset::Augmentation::Create(spec.data.augmentation, prepared.data->manifest().schema,
                                      prepared.data->scaler()));
    prepared.augmentation = std::make_shared<const dataset::Augmentation>(std::move(augmentation));
  }
  DL_ASSIGN_OR_RETURN(prepared.strategy, averaging::MakeStrategy(spec));
  prepared.plan = dataset::TrainingPlan(spec.training, prepared.data->manifest().examples);
  prepared.total_steps = spec.training.epochs * dataset::EpochSteps(prepared.plan);
  prepared.rounds = spec.training.epochs * dataset::RoundsPerEpoch(prepared.plan);
  return absl::OkStatus();
}

// Repeats the formulas of averaging/outer.h without using its code.
void TakeOuterStep(const job::Outer& outer, std::span<const float> base, PlainResult& result) {
  result.outer.resize(base.size());
  for (size_t i = 0; i < base.size(); ++i) {
    const double change = result.unit[i];
    result.outer[i] = static_cast<float>(outer.momentum * result.outer[i] + change);
    const double ahead =
        outer.nesterov ? change + outer.momentum * result.outer[i] : double{result.outer[i]};
    result.unit[i] = static_cast<float>(base[i] + outer.learning_rate * ahead);
  }
}

// Repeats the formula of averaging/moving_average.h.
void MoveAverage(double decay, PlainResult& result) {
  const SegmentTable& model = result.strategy->layout().model().table;
  const int64_t parameters = model.SizeOf(SegmentKind::kParameter);
  for (int64_t i = 0; i < model.size(); ++i) {
    const double weight = result.unit[i];
    result.ema[i] =
        static_cast<float>(i < parameters ? decay * result.ema[i] + (1 - decay) * weight : weight);
  }
}

// Merges `states`, the workers' vectors after the round's steps, by the weights of `contributions`.
Status Merge(const job::JobSpec& spec, std::vector<std::vector<float>>& states,
             std::vector<test::WeightedVector> contributions, PlainResult& result) {
  const averaging::StateLayout& layout = result.strategy->layout();
  const auto* outer = std::get_if<job::Outer>(&spec.training.strategy);
  const auto parameters = static_cast<size_t>(layout.unit.SizeOf(SegmentKind::kParameter));
  const std::vector<float> base(result.unit.begin(), result.unit.begin() + parameters);
  const size_t merged = layout.merged.size();
  for (size_t i = 0; i < states.size(); ++i) {
    for (size_t p = 0; outer != nullptr && p < parameters; ++p) states[i][p] -= base[p];
    contributions[i].flat = std::span(states[i]).first(merged);
  }
  DL_RETURN_IF_ERROR(
      test::MergeContributions(layout.merged, contributions, std::span(result.unit).first(merged)));
  std::fill(result.unit.begin() + merged, result.unit.end(), 0.0f);  // reset, or a worker's own
  if (outer != nullptr) TakeOuterStep(*outer, base, result);
  if (!result.ema.empty()) MoveAverage(spec.training.ema_decay, result);
  return absl::OkStatus();
}

// Copies a worker's own parts from `own`, its vector after its last unit, to their places in
// `unit`.
void TakeOwn(const averaging::StateLayout& layout, std::span<const float> own,
             std::span<float> unit) {
  for (const averaging::PartLayout* part : layout.PartsWith(averaging::PartScope::kWorker))
    std::ranges::copy(part->In(own), unit.begin() + part->offset);
}

std::string HashOf(const PlainResult& result) {
  std::map<std::string, std::string> names;
  for (const averaging::PartLayout& part : result.strategy->layout().parts) {
    if (part.scope == averaging::PartScope::kWorker) {
      for (size_t m = 0; m < result.own.size(); ++m) {
        names.emplace(part.KeyOf(static_cast<int64_t>(m)),
                      PartSha256(part.table, part.In(result.own[m])));
      }
      continue;
    }
    std::span<const float> values = result.unit;
    if (part.scope != averaging::PartScope::kStrategy) {
      values = part.In(values);
    } else {
      values = part.name == "ema" ? result.ema : result.outer;
    }
    names.emplace(part.name, PartSha256(part.table, values));
  }
  return StateSha256(names);
}

}  // namespace

StatusOr<PlainResult> TrainPlainly(const job::JobSpec& spec, const PlainBegin& begin) {
  Prepared prepared;
  DL_RETURN_IF_ERROR(Prepare(spec, prepared));
  const auto& [blocks, data, strategy, plan, total_steps, rounds, augmentation] = prepared;
  PlainResult result{.strategy = strategy};
  DL_ASSIGN_OR_RETURN(
      auto network, nn::Network::Create(spec.model, {.max_batch = spec.training.batch_size,
                                                     .micro_batch = spec.training.micro_batch_size,
                                                     .seed = spec.seed}));
  result.unit = begin.unit.empty()
                    ? nn::InitialState(spec.model, spec.seed, spec.training.batch_size)
                    : begin.unit;
  result.own.assign(plan.workers, result.unit);
  if (spec.training.ema_decay > 0) {
    const auto model = strategy->layout().model().In(result.unit);
    result.ema.assign(model.begin(), model.end());
  }

  for (int64_t round = 1; round <= rounds; ++round) {
    const dataset::RoundPosition position = dataset::LocateRound(plan, round - 1);
    DL_ASSIGN_OR_RETURN(auto order, data->Order(dataset::OrderOfEpoch(spec, position.epoch)));
    std::vector<std::vector<float>> states;
    std::vector<test::WeightedVector> contributions;
    for (int64_t worker = 0; worker < plan.workers; ++worker) {
      const dataset::UnitPlan unit = dataset::PlanUnit(plan, position.index_in_epoch, worker);
      if (unit.steps == 0) continue;
      TakeOwn(strategy->layout(), result.own[worker], result.unit);
      DL_RETURN_IF_ERROR(network->Load(result.unit));
      if (position.index_in_epoch == 0) network->BeginStreams();
      DL_ASSIGN_OR_RETURN(
          auto reader,
          dataset::BatchReader::Create({data, order, unit.range, plan.batch_size, augmentation}));
      dataset::BatchBuffer buffer;
      for (int64_t step = 0;; ++step) {
        DL_ASSIGN_OR_RETURN(bool more, reader->Next(buffer));
        if (!more) break;
        const dataset::Minibatch& batch = buffer.batch();
        const int64_t t = position.first_step + step;
        DL_RETURN_IF_ERROR(
            network
                ->TrainStep({.examples = batch.examples,
                             .features = batch.features,
                             .labels = batch.classes},
                            {.epoch = position.epoch,
                             .round = round,
                             .worker = worker,
                             .step = step,
                             .learning_rate = nn::RateAt(
                                 nn::LearningRateOf(spec.model.updater), t,
                                 {.steps = total_steps, .epoch_steps = dataset::EpochSteps(plan)}),
                             .update_count = dataset::UpdateCount(
                                 spec.training, begin.earlier_updates, position, step)})
                .status());
      }
      states.emplace_back(result.unit.size());
      DL_RETURN_IF_ERROR(network->Store(states.back()));
      result.own[worker] = states.back();
      contributions.push_back({{}, unit.range.examples});
    }
    DL_RETURN_IF_ERROR(Merge(spec, states, std::move(contributions), result));
  }
  result.updates = begin.earlier_updates + total_steps;
  result.state_sha256 = HashOf(result);
  return result;
}

StatusOr<PlainResult> TrainInOneBatch(const job::JobSpec& spec) {
  Prepared prepared;
  DL_RETURN_IF_ERROR(Prepare(spec, prepared));
  const auto& [blocks, data, strategy, plan, total_steps, rounds, augmentation] = prepared;
  PlainResult result{.strategy = strategy, .unit = nn::InitialState(spec.model, spec.seed)};
  DL_ASSIGN_OR_RETURN(auto network, nn::Network::Create(spec.model, {.seed = spec.seed}));
  DL_RETURN_IF_ERROR(network->Load(result.unit));
  for (int64_t step = 0; step < total_steps; ++step) {
    const dataset::RoundPosition position = dataset::LocateRound(plan, step);
    DL_ASSIGN_OR_RETURN(auto order, data->Order(dataset::OrderOfEpoch(spec, position.epoch)));
    std::vector<float> features;
    std::vector<int32_t> classes;
    for (int64_t worker = 0; worker < plan.workers; ++worker) {
      const dataset::UnitPlan unit = dataset::PlanUnit(plan, position.index_in_epoch, worker);
      DL_ASSIGN_OR_RETURN(
          auto reader,
          dataset::BatchReader::Create({data, order, unit.range, plan.batch_size, augmentation}));
      dataset::BatchBuffer buffer;
      DL_RETURN_IF_ERROR(reader->Next(buffer).status());
      const dataset::Minibatch& batch = buffer.batch();
      features.insert(features.end(), batch.features.begin(), batch.features.end());
      classes.insert(classes.end(), batch.classes.begin(), batch.classes.end());
    }
    DL_RETURN_IF_ERROR(
        network
            ->TrainStep({.examples = static_cast<int64_t>(classes.size()),
                         .features = features,
                         .labels = classes},
                        {.epoch = position.epoch,
                         .step = step,
                         .learning_rate = nn::RateAt(
                             nn::LearningRateOf(spec.model.updater), step,
                             {.steps = total_steps, .epoch_steps = dataset::EpochSteps(plan)})})
            .status());
  }
  DL_RETURN_IF_ERROR(network->Store(result.unit));
  result.updates = total_steps;
  result.state_sha256 = HashOf(result);
  return result;
}

}  // namespace dl::test
