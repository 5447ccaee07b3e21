#include "job/advice.h"

#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"
#include "job/single_example_parts.h"
#include "nn/conf/kinds.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/model_outputs.h"

namespace dl::job {
namespace {

// Returns the number of examples, or 0 if the dataset is not imported yet.
int64_t ExamplesOf(const DatasetSpec& dataset) {
  const auto* reference = std::get_if<ManifestReference>(&dataset);
  return reference == nullptr ? 0 : reference->summary.examples;
}

int64_t RoundUp(int64_t count, int64_t size) { return (count + size - 1) / size; }

void AdviseOnData(const JobSpec& spec, int64_t examples, std::vector<std::string>& advice) {
  const TrainingConfig& training = spec.training;
  const int64_t workers = training.workers, batch = training.batch_size;
  if (workers > examples) {
    advice.push_back(absl::StrCat("training.workers is ", workers, " and there are ", examples,
                                  " examples: ", workers - examples, " workers have none"));
    return;  // further warnings would only follow from this one
  }
  const int64_t share = RoundUp(examples, workers);  // largest number of examples of a worker
  const int64_t steps = RoundUp(share, batch);       // steps per epoch
  if (batch > share) {
    advice.push_back(absl::StrCat("training.batch_size is ", batch, " and a worker has ", share,
                                  " examples: an epoch is one step of them all"));
  } else if (workers > 1 && training.averaging_frequency > steps &&
             training.averaging_frequency != TrainingConfig().averaging_frequency) {
    advice.push_back(absl::StrCat("training.averaging_frequency is ", training.averaging_frequency,
                                  " and an epoch has ", steps, steps == 1 ? " step" : " steps",
                                  ": workers are averaged once an epoch"));
  }
  const nn::Schedule& rate = LearningRateOf(spec.model.updater);
  const int64_t all_steps = steps * training.epochs;
  const int64_t job_length = rate.by_epoch ? training.epochs : all_steps;
  if (rate.kind == nn::ScheduleKind::kStep && rate.steps >= job_length - rate.warmup) {
    advice.push_back(absl::StrCat("model.updater.learning_rate.steps is ", rate.steps,
                                  " and the job has ", job_length, ": the rate never changes"));
  }
}

void AdviseOnSingleExamples(const JobSpec& spec, int64_t examples,
                            std::vector<std::string>& advice) {
  const std::optional<std::string> layer = LayerThatNeedsSeveralExamples(spec.model);
  const int64_t parts = layer ? SingleExampleParts(spec.training, examples) : 0;
  if (parts == 0) return;
  advice.push_back(absl::StrCat(
      "layer \"", *layer, "\" (batch_norm) has nothing to normalize in ", parts,
      parts == 1 ? " step" : " steps", " of an epoch, in which one example is computed at once: ",
      "with ", examples, " examples and ", spec.training.workers,
      spec.training.workers == 1 ? " worker" : " workers", " choose another training.batch_size",
      spec.training.micro_batch_size > 0 ? " or training.micro_batch_size" : ""));
}

// Returns whether all classes of the output have the weight 0.
bool HasOnlyZeroWeights(const nn::Output& output) {
  return std::visit(
      [&](const auto& loss) {
        if constexpr (requires { loss.class_weights; }) {
          const std::vector<double>& weights = loss.class_weights.values;
          return std::ssize(weights) == output.units &&
                 std::ranges::count(weights, 0.0) == output.units;
        }
        return false;
      },
      output.loss);
}

// Adds a warning if no step can change a weight.
void AdviseOnTrainedWeights(const nn::ModelConfig& model, std::vector<std::string>& advice) {
  bool is_trained = false, has_weights = false;
  for (const nn::LayerConfig& layer : model.layers) {
    for (const nn::ParameterConf& parameter : layer.parameters) {
      has_weights = has_weights || parameter.kind == SegmentKind::kParameter;
      is_trained = is_trained || (parameter.kind == SegmentKind::kParameter && !parameter.frozen);
    }
  }
  for (const nn::ModelOutput& output : OutputsOf(model)) {
    if (!HasOnlyZeroWeights(output.conf)) continue;
    advice.push_back(
        absl::StrCat("layer \"", output.name, "\": all class_weights are 0, so no example counts"));
  }
  if (has_weights && !is_trained)
    advice.emplace_back("all layers with weights are frozen: the job trains nothing");
  const nn::Schedule& rate = LearningRateOf(model.updater);
  if (rate.kind == nn::ScheduleKind::kFixed && rate.initial == 0)
    advice.emplace_back("model.updater.learning_rate is 0: the job trains nothing");
}

}  // namespace

std::vector<std::string> Advice(const JobSpec& spec) {
  std::vector<std::string> advice;
  const TrainingConfig& training = spec.training;
  if (const int64_t examples = ExamplesOf(spec.data.train); examples > 0) {
    AdviseOnData(spec, examples, advice);
    AdviseOnSingleExamples(spec, examples, advice);
  }
  AdviseOnTrainedWeights(spec.model, advice);
  if (training.micro_batch_size >= training.batch_size) {
    advice.push_back(absl::StrCat("training.micro_batch_size is ", training.micro_batch_size,
                                  " and a minibatch has ", training.batch_size,
                                  ": none is cut into parts"));
  }
  if (training.early_stopping && training.early_stopping->patience >= training.epochs) {
    advice.push_back(absl::StrCat("training.early_stopping.patience is ",
                                  training.early_stopping->patience, " and the job has ",
                                  training.epochs, training.epochs == 1 ? " epoch" : " epochs",
                                  ": nothing is ever stopped early"));
  }
  if (training.updater_state != UpdaterState::kAverage &&
      StateNamesOf(spec.model.updater).empty()) {
    advice.push_back(absl::StrCat("training.updater_state changes nothing: ",
                                  std::string(TagOf(spec.model.updater)), " remembers nothing"));
  }
  return advice;
}

}  // namespace dl::job
