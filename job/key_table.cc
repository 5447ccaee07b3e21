// Table of keys, one row per key. The keys of `model`, `initial_weights`, `training.strategy`,
// `data.augmentation` and the datasets are made from their types. The table is not formatted by
// clang-format, because one field per line would make it unreadable.
#include <vector>

#include "base/limits.h"
#include "job/augmentation.h"
#include "job/dataset_spec.h"
#include "job/initial_weights.h"
#include "job/job_keys.h"
#include "job/job_spec.h"
#include "job/strategy_conf.h"
#include "nn/conf/model_keys.h"

namespace dl::job {
namespace {

using enum KeyType;
using namespace limits;

constexpr double kInt32 = 2147483647;

// clang-format off
constexpr KeyInfo kJobKeys[] = {
    {.path = "format", .type = kInteger, .standard = "1", .min = 1,
     .max = kJobDocument.version(), .meaning = "Version of the document"},
    {.path = "name", .type = kString, .standard = "-",
     .meaning = "Name of the job, up to 63 letters, digits, `_`, `-`, `.`, beginning with a letter "
                "or digit; default: the model's name"},
    {.path = "seed", .type = kInteger, .standard = "-", .min = 0, .max = 18446744073709551615.0,
     .meaning = "Seed of everything random: weights, order, dropout; default: the model's seed"},
};

constexpr KeyInfo kTrainingAndDataKeys[] = {
    {.path = "training", .type = kObject, .standard = "{}", .meaning = "How the job trains"},
    {.path = "training.epochs", .type = kInteger, .standard = "1", .unit = "epochs", .min = 1,
     .max = kMaxEpochs, .meaning = "Passes over the training set"},
    {.path = "training.workers", .type = kInteger, .standard = "1", .unit = "workers", .min = 1,
     .max = kMaxWorkers,
     .meaning = "M, the logical workers: part of the result, whatever number of executors runs "
                "them"},
    {.path = "training.batch_size", .type = kInteger, .standard = "32", .unit = "examples",
     .min = 1, .max = kMaxBatchSize, .meaning = "Examples per worker and step"},
    {.path = "training.micro_batch_size", .type = kInteger, .standard = "0", .unit = "examples",
     .min = 0, .max = kMaxBatchSize,
     .meaning = "Examples that are computed at once: a minibatch goes in parts of so many, whose "
                "gradients are added, in less memory; batch normalization sees each part by "
                "itself; 0 = all"},
    {.path = "training.averaging_frequency", .type = kInteger, .standard = "8", .unit = "steps",
     .min = 1, .max = kMaxAveragingFrequency,
     .meaning = "H, the steps of each worker between two merges"},
    {.path = "training.ema_decay", .type = kNumber, .standard = "0", .min = 0, .max = 0.999999,
     .meaning = "Share of a moving average of weights that a round keeps; evaluations, predict, "
                "export and --init-from take the average; 0 = there is none"},
    {.path = "training.updater_state", .type = kChoice, .standard = "\"average\"",
     .choices = "average|reset|keep", .meaning = "What becomes of updater state at a merge"},
    {.path = "training.shuffle", .type = kChoice, .standard = "\"global\"",
     .choices = "global|partition|stream",
     .meaning = "Whether an epoch permutes all examples, or each worker its own; stream: in each row "
                "of a worker's minibatches follows what stands behind it in the data"},
    {.path = "training.target_normalizer", .type = kChoice, .standard = "\"none\"",
     .choices = "none|standardize|min_max",
     .meaning = "How numbers to predict are shifted and scaled for training, fitted on the training "
                "set at import. Applies to outputs with the losses mean_squared_error, "
                "mean_absolute_error and huber. Losses are those of scaled numbers; predictions "
                "and the errors that evaluate reports are in the data's unit"},
    {.path = "training.prefetch_batches", .type = kInteger, .standard = "2", .unit = "batches",
     .min = 0, .max = kMaxPrefetchBatches,
     .meaning = "Batches prepared ahead; 0 = off; not part of the result"},
    {.path = "training.threads_per_worker", .type = kInteger, .standard = "1", .unit = "threads",
     .min = 1, .max = kMaxThreadsPerWorker, .meaning = "Threads that compute one unit"},
    {.path = "training.isa", .type = kChoice, .standard = "\"\"", .choices = "|avx2|avx512",
     .meaning = "Instruction set of the kernels; empty = the lowest common to the registered "
                "executors"},
    {.path = "training.verify_fraction", .type = kNumber, .standard = "0.01", .min = 0, .max = 1,
     .meaning = "Share of the units that are computed twice to find silent corruption"},
    {.path = "training.verify_executors", .type = kStringList, .standard = "[]",
     .meaning = "Executors whose word decides where results differ, and who compute the second "
                "result of a sampled unit; empty = the majority of all"},
    {.path = "training.lease_seconds", .type = kInteger, .standard = "10", .unit = "s", .min = 1,
     .max = kMaxLeaseSeconds, .meaning = "An executor that is silent for so long loses its unit"},
    {.path = "training.progress_seconds", .type = kInteger, .standard = "30", .unit = "s",
     .min = 1, .max = kMaxLeaseSeconds,
     .meaning = "A unit that shows no progress (a step, bytes) for so long goes to another "
                "executor; never less than ten times what units of the job take. Raise it where "
                "one step takes longer"},
    {.path = "training.checkpoint", .type = kObject, .standard = "{}",
     .meaning = "When checkpoints are written and kept"},
    {.path = "training.checkpoint.every_rounds", .type = kInteger, .standard = "0",
     .unit = "rounds", .min = 0, .max = kInt32,
     .meaning = "Rounds between checkpoints, at least: with rounds that are shorter than the writing "
                "of a checkpoint some are passed over, as one is written at a time; 0 = not by "
                "rounds"},
    {.path = "training.checkpoint.every_seconds", .type = kInteger, .standard = "60", .unit = "s",
     .min = 0, .max = kInt32, .meaning = "Seconds between checkpoints; 0 = not by time"},
    {.path = "training.checkpoint.every_epoch", .type = kBool, .standard = "true",
     .meaning = "Whether each epoch's end is a checkpoint"},
    {.path = "training.checkpoint.keep_last", .type = kInteger, .standard = "3",
     .unit = "checkpoints", .min = 1, .max = kMaxKeptCheckpoints,
     .meaning = "Newest checkpoints that are kept"},
    {.path = "training.checkpoint.keep_best", .type = kInteger, .standard = "1",
     .unit = "checkpoints", .min = 0, .max = kMaxKeptCheckpoints,
     .meaning = "Best checkpoints that are kept, by the early stopping metric, else the test loss"},
    {.path = "training.evaluation", .type = kObject, .standard = "{}",
     .meaning = "When the test set is measured"},
    {.path = "training.evaluation.every_epoch", .type = kBool, .standard = "true",
     .meaning = "After every epoch; false = once, at the end"},
    {.path = "training.evaluation.batch_size", .type = kInteger, .standard = "256",
     .unit = "examples", .min = 1, .max = kMaxBatchSize,
     .meaning = "Examples per step of an evaluation"},
    {.path = "training.early_stopping", .type = kObject, .standard = "null",
     .meaning = "Ends the job when the test set stops improving; null = off; needs `data.test` or "
                "`data.split`"},
    {.path = "training.early_stopping.metric", .type = kChoice, .standard = "\"loss\"",
     .choices = "loss|accuracy|macro_precision|macro_recall|macro_f1|kappa|mcc|roc_auc|"
                "average_precision|r2|mse|mae",
     .meaning = "Figure of the test set that early stopping, the best checkpoint and a plateau go "
                "by. accuracy to mcc take classes, all but accuracy at most 128; roc_auc and "
                "average_precision two classes, or binary_cross_entropy with one unit; r2, mse and "
                "mae the losses mean_squared_error, mean_absolute_error and huber, with at most 64 "
                "units"},
    {.path = "training.early_stopping.mode", .type = kChoice, .standard = "\"auto\"",
     .choices = "auto|minimize|maximize",
     .meaning = "Direction of better; auto = minimize loss, mse and mae, maximize the others"},
    {.path = "training.early_stopping.patience", .type = kInteger, .standard = "3",
     .unit = "epochs", .min = 1, .max = kMaxEpochs,
     .meaning = "Epochs in a row without an improvement"},
    {.path = "training.early_stopping.min_delta", .type = kNumber, .standard = "0.0", .min = 0,
     .max = 1e30, .meaning = "An improvement is more than this"},

    {.path = "data", .type = kObject, .standard = "", .meaning = "What the job trains on"},
    {.path = "data.normalizer", .type = kChoice, .standard = "\"none\"",
     .choices = "none|standardize|min_max",
     .meaning = "Fitted on the training set at import, applied to both"},
    {.path = "data.split", .type = kObject, .standard = "null",
     .meaning = "Makes a part of the training set's files the test set; null = none. In place of "
                "`data.test`"},
    {.path = "data.split.test_fraction", .type = kNumber, .standard = "0.2",
     .min = SplitConfig::kLeast, .max = SplitConfig::kMost,
     .meaning = "Share of the examples that the test set has"},
    {.path = "data.split.seed", .type = kInteger, .standard = "0", .min = 0,
     .max = 18446744073709551615.0,
     .meaning = "Which examples these are; the job's seed does not change it"},
    {.path = "data.split.stratified", .type = kBool, .standard = "false",
     .meaning = "Whether the test set has that share of each class"},
    {.path = "data.split.take", .type = kChoice, .standard = "\"random\"",
     .choices = "random|last",
     .meaning = "random: examples are drawn. last: the last examples of the source are the test "
                "set, and training leaves out the examples before them that share steps with them"},
};
// clang-format on

KeyInfo InfoOf(const nn::KeyRow& row) {
  return {.path = row.path,
          .type = row.type,
          .standard = row.standard,
          .unit = row.unit,
          .min = row.min,
          .max = row.max,
          .choices = row.choices,
          .only_for = row.only_for,
          .meaning = row.meaning};
}

// Returns the keys of the training set and the test set.
std::vector<nn::KeyRow> DataSets() {
  std::vector<nn::KeyRow> rows = DatasetKeys(
      {.path = "data.train", .type = kObject, .standard = "", .meaning = "The training set"});
  for (nn::KeyRow& row : DatasetKeys({.path = "data.test",
                         .type = kObject,
                         .standard = "null",
                         .meaning = "The test set; null = none"}))
    rows.push_back(std::move(row));
  return rows;
}

std::vector<KeyInfo> AllKeys() {
  static const std::vector<nn::KeyRow> model = nn::ModelKeys();  // owns the texts of the rows
  std::vector<KeyInfo> keys(std::begin(kJobKeys), std::end(kJobKeys));
  for (const nn::KeyRow& row : model) keys.push_back(InfoOf(row));
  static const std::vector<nn::KeyRow> weights = InitialWeightsKeys();
  for (const nn::KeyRow& row : weights) keys.push_back(InfoOf(row));
  static const std::vector<nn::KeyRow> strategy = StrategyKeys();
  static const std::vector<nn::KeyRow> augmentation = AugmentationKeys();
  for (const KeyInfo& key : kTrainingAndDataKeys) {
    // Listed before training.updater_state, the other key that describes a merge.
    if (key.path == "training.updater_state") {
      for (const nn::KeyRow& row : strategy) keys.push_back(InfoOf(row));
    }
    // Listed after the keys of all other changes of the values.
    if (key.path == "data.split") {
      for (const nn::KeyRow& row : augmentation) keys.push_back(InfoOf(row));
    }
    keys.push_back(key);
  }
  static const std::vector<nn::KeyRow> data = DataSets();
  for (const nn::KeyRow& row : data) keys.push_back(InfoOf(row));
  return keys;
}

}  // namespace

std::span<const KeyInfo> Keys() {
  static const std::vector<KeyInfo> keys = AllKeys();
  return keys;
}

}  // namespace dl::job
