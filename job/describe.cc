#include "job/describe.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "nn/conf/layer_table.h"
#include "nn/conf/network_memory.h"

namespace dl::job {
namespace {

std::string DescribeDataset(const DatasetSpec& dataset) {
  const auto* reference = std::get_if<ManifestReference>(&dataset);
  if (reference == nullptr) return std::string(FormatOf(dataset)) + ", not imported yet";
  return absl::StrCat(reference->summary.examples, " examples, manifest ",
                      reference->sha256.substr(0, 12));
}

// Returns, for example, "outer, learning_rate 1, momentum 0.5, nesterov true".
std::string StrategyText(const StrategyConf& strategy) {
  Json json = ToJson(strategy);
  std::string text = json["type"].get<std::string>();
  json.erase("type");
  for (const auto& [key, value] : json.items())
    absl::StrAppend(&text, ", ", key, " ", value.dump());
  return text;
}

// Returns the memory for full minibatches; a short dataset needs less.
int64_t NetworkBytes(const JobSpec& spec) {
  const TrainingConfig& training = spec.training;
  return nn::NetworkMemoryAtMost(spec.model,
                                 {.max_batch = training.batch_size,
                                  .max_evaluation_batch = training.evaluation.batch_size,
                                  .micro_batch = training.micro_batch_size,
                                  .threads = training.threads_per_worker,
                                  .precision = training.precision,
                                  .carried_rows = training.batch_size,
                                  .checkpoint_activations = training.checkpoint_activations})
      .Total();
}

}  // namespace

std::string FormatJob(const JobSpec& spec) { return ToJson(spec).dump(2) + "\n"; }

std::string Describe(const JobSpec& spec) {
  const TrainingConfig& training = spec.training;
  std::string text = absl::StrCat("job ", spec.name, ", seed ", spec.seed, "\n");
  absl::StrAppend(&text, "training: ", training.epochs,
                  training.epochs == 1 ? " epoch, " : " epochs, ", training.workers,
                  training.workers == 1 ? " worker" : " workers", " x batch ", training.batch_size,
                  ", averaged every ", training.averaging_frequency,
                  " steps\nstrategy: ", StrategyText(training.strategy),
                  "\nupdater state: ", std::string(WordOf(training.updater_state)), "\n");
  absl::StrAppend(&text, "train: ", DescribeDataset(spec.data.train), "\n");
  if (spec.data.test) absl::StrAppend(&text, "test: ", DescribeDataset(*spec.data.test), "\n");
  if (const auto* file = std::get_if<SafetensorsWeights>(&spec.initial_weights))
    absl::StrAppend(&text, "weights: of ", file->path, ", not imported yet\n");
  if (const auto* imported = std::get_if<ImportedWeights>(&spec.initial_weights))
    absl::StrAppend(&text, "weights: ", imported->tensors.size(), " tensors by import\n");
  if (spec.data.split) {
    absl::StrAppend(&text, "test: ", 100 * spec.data.split->test_fraction,
                    " % of the training set's files\n");
  }
  absl::StrAppend(&text, "normalizer: ", std::string(WordOf(spec.data.normalizer)), "\n");
  if (spec.training.target_normalizer != NormalizerChoice::kNone) {
    absl::StrAppend(&text, "targets: ", std::string(WordOf(spec.training.target_normalizer)), "\n");
  }
  absl::StrAppend(&text, Summary(spec.model), "memory of a worker's network: at most ",
                  (NetworkBytes(spec) + (1 << 20) - 1) >> 20, " MiB\n");
  return text;
}

}  // namespace dl::job
