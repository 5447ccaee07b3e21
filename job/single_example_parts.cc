#include "job/single_example_parts.h"

#include "nn/conf/layer_config.h"

namespace dl::job {
namespace {

// Returns the number of single-example micro-batches in a minibatch of `examples`.
int64_t SinglePartsOf(const TrainingConfig& training, int64_t examples) {
  const int64_t part = training.micro_batch_size;
  if (part == 0 || part >= examples) return examples == 1 ? 1 : 0;
  return part == 1 ? examples : (examples % part == 1 ? 1 : 0);
}

}  // namespace

std::optional<std::string> LayerThatNeedsSeveralExamples(const nn::ModelConfig& model) {
  for (const nn::LayerConfig& layer : model.layers) {
    const auto* norm = std::get_if<nn::BatchNorm>(&layer.conf);
    if (norm != nullptr && !norm->frozen && nn::BatchNorm::TakesOneValue(layer.input))
      return layer.name;
  }
  return std::nullopt;
}

void CheckSingleExamples(const JobSpec& spec, nn::Mistakes& mistakes) {
  if (spec.training.batch_size != 1 && spec.training.micro_batch_size != 1) return;
  const std::optional<std::string> layer = LayerThatNeedsSeveralExamples(spec.model);
  if (!layer) return;
  mistakes.SetWhere(spec.training.batch_size == 1 ? "training.batch_size"
                                                  : "training.micro_batch_size");
  mistakes.Add("layer \"" + *layer +
                   "\" (batch_norm) normalizes over the examples computed at once, but a single "
                   "example has only one value per channel",
               "Set it to 2 or more, or use layer_norm");
}

int64_t SingleExampleParts(const TrainingConfig& training, int64_t examples) {
  const int64_t share = examples / training.workers, larger = examples % training.workers;
  const auto of_worker = [&](int64_t own) {
    const int64_t whole = own / training.batch_size, rest = own % training.batch_size;
    return whole * SinglePartsOf(training, training.batch_size) + SinglePartsOf(training, rest);
  };
  return larger * of_worker(share + 1) + (training.workers - larger) * of_worker(share);
}

}  // namespace dl::job
