#include "dataset/job_plan.h"

#include <algorithm>

namespace dl::dataset {
namespace {

constexpr int64_t kBatchesPerEvaluationUnit = 4;

Shuffle ShuffleOf(job::ShuffleMode mode) {
  switch (mode) {
    case job::ShuffleMode::kGlobal:
      return Shuffle::kGlobal;
    case job::ShuffleMode::kPartition:
      return Shuffle::kPartition;
    case job::ShuffleMode::kStream:
      return Shuffle::kStream;
  }
  return Shuffle::kGlobal;
}

}  // namespace

PlanInput TrainingPlan(const job::TrainingConfig& training, int64_t examples) {
  return {.examples = examples,
          .workers = training.workers,
          .batch_size = training.batch_size,
          .averaging_frequency = training.averaging_frequency};
}

EvaluationPlanInput EvaluationPlan(const job::JobSpec& spec, int64_t test_examples) {
  const int64_t batch_size = spec.training.evaluation.batch_size;
  const bool is_one_unit = job::IsStateful(spec);
  return {.examples = test_examples,
          .batch_size = batch_size,
          .batches_per_unit = is_one_unit ? (test_examples + batch_size - 1) / batch_size
                                          : kBatchesPerEvaluationUnit};
}

EpochOrderKey OrderOfEvaluation(const job::JobSpec& spec, int64_t batch_size) {
  if (!job::IsStateful(spec)) return {.shuffle = Shuffle::kNone};
  return {.shuffle = Shuffle::kStream, .lanes = batch_size};
}

EpochOrderKey OrderOfEpoch(const job::JobSpec& spec, int64_t epoch) {
  return {.shuffle = ShuffleOf(spec.training.shuffle),
          .seed = spec.seed,
          .epoch = epoch,
          .workers = spec.training.workers,
          .lanes = spec.training.batch_size};
}

CutOrder TrainingCutOrder(job::ShuffleMode shuffle) {
  return shuffle == job::ShuffleMode::kStream ? CutOrder::kSource : CutOrder::kShuffled;
}

Status CheckStreamOrder(const Manifest& manifest, const std::string& where) {
  if (manifest.order == CutOrder::kSource) return absl::OkStatus();
  return InvalidArgument(
      {.message =
           "the job reads its examples in order, but the import of this dataset shuffled them",
       .where = where,
       .remedy = "Name the files of the dataset instead, or import it with --order source"});
}

int64_t UpdateCount(const job::TrainingConfig& training, int64_t earlier,
                    const RoundPosition& position, int64_t step) {
  const bool anew = training.updater_state == job::UpdaterState::kReset;
  return (anew ? 0 : earlier + position.first_step) + step + 1;
}

job::DatasetSummary SummaryOf(const Schema& schema, int64_t examples) {
  std::vector<int64_t> target_classes;
  for (const FeatureColumn& column : schema.target_columns())
    target_classes.push_back(static_cast<int64_t>(column.categories.size()));
  return {.examples = examples,
          .feature_shape = schema.feature_shape,
          .classes = schema.classes(),
          .targets = schema.target_size(),
          .labels_per_example = schema.labels_per_example(),
          .label_sequences = schema.label_sequences(),
          .variable_length = schema.variable_length,
          .target_classes = std::move(target_classes)};
}

job::DataShape DataShapeOf(const Manifest& manifest) {
  const Schema& schema = manifest.schema;
  const bool classes = schema.label_kind() == LabelKind::kClass;
  job::DataShape shape{
      .examples = manifest.examples,
      .blocks = static_cast<int64_t>(manifest.blocks.size()),
      .features = schema.FeatureSize(),
      .targets = schema.TargetsPerExample(),
      .labels = classes ? schema.labels_per_example() : 0,
      .others = int64_t{schema.variable_length} + int64_t{schema.weights.has_value()}};
  for (const BlockInfo& block : manifest.blocks) {
    shape.block_examples = std::max(shape.block_examples, block.examples);
    shape.block_bytes =
        std::max({shape.block_bytes, block.bytes, block.examples * schema.RecordBytes()});
  }
  return shape;
}

}  // namespace dl::dataset
