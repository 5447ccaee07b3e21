#include "tests/integration/plain_loop.h"

#include <algorithm>

#include "averaging/merge_contributions.h"
#include "dataset/batch_reader.h"
#include "dataset/import.h"
#include "dataset/job_plan.h"
#include "dataset/readers/idx.h"
#include "nn/conf/schedule.h"
#include "nn/conf/segments.h"
#include "nn/network.h"
#include "tests/support/memory_blocks.h"

namespace dl::test {
StatusOr<PlainResult> TrainPlainly(const job::JobSpec& spec, const PlainBegin& begin) {
  const auto& source = std::get<job::IdxSource>(spec.data.train);
  DL_ASSIGN_OR_RETURN(dataset::ExampleTable table,
                      dataset::ReadIdx({.features = source.features, .labels = source.labels}));
  DL_ASSIGN_OR_RETURN(dataset::NormalizerKind normalizer,
                      dataset::NormalizerKindFromName(job::NormalizerName(spec.data.normalizer)));
  MemoryBlocks blocks;
  DL_ASSIGN_OR_RETURN(dataset::Manifest manifest,
                      dataset::Import(table, {.normalizer = normalizer}, blocks));
  DL_ASSIGN_OR_RETURN(
      auto data, dataset::Dataset::Create(std::move(manifest),
                                          std::make_shared<dataset::DecodedBlockCache>(blocks)));

  PlainResult result;
  DL_ASSIGN_OR_RETURN(
      averaging::UpdaterStatePolicy policy,
      averaging::ParseUpdaterStatePolicy(job::UpdaterStateName(spec.training.updater_state)));
  DL_ASSIGN_OR_RETURN(result.layout,
                      averaging::StateLayout::Create(nn::FullTable(spec.model), policy));
  DL_ASSIGN_OR_RETURN(
      auto network,
      nn::Network::Create(spec.model, {.max_batch = spec.training.batch_size, .seed = spec.seed}));
  result.global = begin.global.empty() ? nn::InitialState(spec.model, spec.seed) : begin.global;

  const dataset::PlanInput plan = dataset::TrainingPlan(spec.training, data->manifest().examples);
  const int64_t total_steps = spec.training.epochs * dataset::EpochSteps(plan);
  const int64_t rounds = spec.training.epochs * dataset::RoundsPerEpoch(plan);
  for (int64_t round = 1; round <= rounds; ++round) {
    const dataset::RoundPosition position = dataset::LocateRound(plan, round - 1);
    DL_ASSIGN_OR_RETURN(auto order, data->Order(dataset::OrderOfEpoch(spec, position.epoch)));
    std::vector<std::vector<float>> states;
    std::vector<averaging::WeightedVector> contributions;
    for (int64_t worker = 0; worker < plan.workers; ++worker) {
      const dataset::UnitPlan unit =
          dataset::PlanUnit(plan, (round - 1) % dataset::RoundsPerEpoch(plan), worker);
      if (unit.steps == 0) continue;
      DL_RETURN_IF_ERROR(network->Load(result.global));
      DL_ASSIGN_OR_RETURN(auto reader,
                          dataset::BatchReader::Create({data, order, unit.range, plan.batch_size}));
      dataset::BatchBuffer buffer;
      for (int64_t step = 0;; ++step) {
        DL_ASSIGN_OR_RETURN(bool more, reader->Next(buffer));
        if (!more) break;
        const dataset::Batch& batch = buffer.batch();
        const int64_t t = position.first_step + step;
        DL_RETURN_IF_ERROR(
            network
                ->TrainStep(
                    {.examples = batch.examples,
                     .features = batch.features,
                     .labels = batch.classes},
                    {.epoch = position.epoch,
                     .round = round,
                     .worker = worker,
                     .step = step,
                     .learning_rate = nn::RateAt(spec.model.updater.learning_rate, t, total_steps),
                     .update_count = dataset::UpdateCount(spec.training, begin.earlier_updates,
                                                          position, step)})
                .status());
      }
      states.emplace_back(result.global.size());
      DL_RETURN_IF_ERROR(network->Store(states.back()));
      contributions.push_back({{}, unit.range.examples});
    }
    const size_t merged = result.layout.merged.size();
    for (size_t i = 0; i < states.size(); ++i)
      contributions[i].flat = std::span(states[i]).first(merged);
    DL_RETURN_IF_ERROR(averaging::MergeContributions(result.layout.merged, contributions,
                                                     std::span(result.global).first(merged)));
    std::fill(result.global.begin() + static_cast<int64_t>(merged), result.global.end(),
              0.0f);  // reset
  }
  result.updates = begin.earlier_updates + total_steps;
  result.state_sha256 = StateSha256(result.layout.global, result.global);
  return result;
}

}  // namespace dl::test
