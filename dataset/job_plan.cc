#include "dataset/job_plan.h"

#include <algorithm>

namespace dl::dataset {
namespace {

constexpr int64_t kBatchesPerEvaluationUnit = 4;

}  // namespace

PlanInput TrainingPlan(const job::TrainingConfig& training, int64_t examples) {
  return {.examples = examples,
          .workers = training.workers,
          .batch_size = training.batch_size,
          .averaging_frequency = training.averaging_frequency};
}

EvaluationPlanInput EvaluationPlan(const job::TrainingConfig& training, int64_t test_examples) {
  return {.examples = test_examples,
          .batch_size = training.evaluation.batch_size,
          .batches_per_unit = kBatchesPerEvaluationUnit};
}

EpochOrderKey OrderOfEpoch(const job::JobSpec& spec, int64_t epoch) {
  return {.shuffle = spec.training.shuffle == job::ShuffleMode::kGlobal ? Shuffle::kGlobal
                                                                        : Shuffle::kPartition,
          .seed = spec.seed,
          .epoch = epoch,
          .workers = spec.training.workers};
}

int64_t UpdateCount(const job::TrainingConfig& training, int64_t earlier,
                    const RoundPosition& position, int64_t step) {
  const bool anew = training.updater_state == job::UpdaterState::kReset;
  return (anew ? 0 : earlier + position.first_step) + step + 1;
}

job::DataShape DataShapeOf(const Manifest& manifest) {
  job::DataShape shape{.examples = manifest.examples,
                       .blocks = static_cast<int64_t>(manifest.blocks.size()),
                       .features = manifest.schema.FeatureSize(),
                       .targets = manifest.schema.target_size};
  for (const BlockInfo& block : manifest.blocks) {
    shape.block_examples = std::max(shape.block_examples, block.examples);
    shape.block_bytes =
        std::max({shape.block_bytes, block.bytes, block.examples * manifest.schema.RecordBytes()});
  }
  return shape;
}

}  // namespace dl::dataset
