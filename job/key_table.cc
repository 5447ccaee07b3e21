// The table of keys, a row each. Not formatted by machine: a field per line would make it
// unreadable.
#include "base/limits.h"
#include "job/keys.h"

namespace dl::job {
namespace {

using enum KeyType;
using namespace limits;

constexpr double kExtent = kMaxExtent;
constexpr double kInt32 = 2147483647;
constexpr std::string_view kWeighted = "dense|conv2d|output";
constexpr std::string_view kWindowed = "conv2d|max_pool2d|avg_pool2d";
constexpr std::string_view kActivations = "identity|relu|leaky_relu|tanh|sigmoid|softmax";
constexpr std::string_view kInits = "xavier|xavier_normal|he|normal|zero";

// clang-format off
constexpr KeyInfo kKeys[] = {
    {.path = "format", .type = kInteger, .standard = "1", .min = 1, .max = 1,
     .meaning = "Version of the document"},
    {.path = "name", .type = kString, .standard = "-",
     .meaning = "Name of the job, up to 63 letters, digits, `_`, `-`, `.`, beginning with a letter "
                "or digit; default: the model's name"},
    {.path = "seed", .type = kInteger, .standard = "-", .min = 0, .max = 18446744073709551615.0,
     .meaning = "Seed of everything random: weights, order, dropout; default: the model's seed"},

    {.path = "model", .type = kObject, .standard = "",
     .meaning = "The network and how a step updates it"},
    {.path = "model.format", .type = kInteger, .standard = "1", .min = 1, .max = 1,
     .meaning = "Version of the model document"},
    {.path = "model.name", .type = kString, .standard = "\"model\"",
     .meaning = "Name of the model, up to 63 letters, digits, `_`, `-`, `.`"},
    {.path = "model.seed", .type = kInteger, .standard = "0", .min = 0,
     .max = 18446744073709551615.0,
     .meaning = "Taken as the job's seed when `seed` is not stated; never written into a job"},
    {.path = "model.input", .type = kObject, .standard = "",
     .meaning = "What one example looks like"},
    {.path = "model.input.type", .type = kChoice, .standard = "", .choices = "feed_forward|image",
     .meaning = "A flat vector, or an image in channel, row, column order"},
    {.path = "model.input.features", .type = kInteger, .standard = "", .unit = "values", .min = 1,
     .max = kExtent, .only_for = "feed_forward", .meaning = "Length of the vector"},
    {.path = "model.input.channels", .type = kInteger, .standard = "", .min = 1, .max = kExtent,
     .only_for = "image", .meaning = "Channels of the image"},
    {.path = "model.input.height", .type = kInteger, .standard = "", .unit = "pixels", .min = 1,
     .max = kExtent, .only_for = "image", .meaning = "Height of the image"},
    {.path = "model.input.width", .type = kInteger, .standard = "", .unit = "pixels", .min = 1,
     .max = kExtent, .only_for = "image", .meaning = "Width of the image"},
    {.path = "model.updater", .type = kObject, .standard = "{\"type\":\"sgd\"}",
     .meaning = "How gradients change weights"},
    {.path = "model.updater.type", .type = kChoice, .standard = "",
     .choices = "sgd|momentum|nesterov|adam", .meaning = "Rule of the updater"},
    {.path = "model.updater.learning_rate", .type = kObject,
     .standard = "{\"type\":\"fixed\",\"initial\":0.01}",
     .meaning = "Learning rate over the job's steps; a plain number is a fixed rate"},
    {.path = "model.updater.learning_rate.type", .type = kChoice, .standard = "",
     .choices = "fixed|step|cosine", .meaning = "Form of the schedule"},
    {.path = "model.updater.learning_rate.initial", .type = kNumber, .standard = "", .min = 0,
     .max = kMaxCoefficient, .meaning = "Rate of the first step"},
    {.path = "model.updater.learning_rate.factor", .type = kNumber, .standard = "0.1", .min = 0,
     .max = 1, .only_for = "step", .meaning = "Multiplies the rate after every `steps` steps"},
    {.path = "model.updater.learning_rate.final", .type = kNumber, .standard = "0.0", .min = 0,
     .max = kMaxCoefficient, .only_for = "cosine", .meaning = "Rate at the end of the descent"},
    {.path = "model.updater.learning_rate.steps", .type = kInteger, .standard = "0",
     .unit = "steps", .min = 0, .max = kMaxScheduleSteps, .only_for = "step|cosine",
     .meaning = "step: length of a stage, required, at least 1; cosine: length of the descent, "
                "0 = the whole job"},
    {.path = "model.updater.momentum", .type = kNumber, .standard = "0.9", .min = 0,
     .max = 0.999999, .only_for = "momentum|nesterov",
     .meaning = "Share of the last step that is kept; below 1"},
    {.path = "model.updater.beta1", .type = kNumber, .standard = "0.9", .min = 0, .max = 0.999999,
     .only_for = "adam", .meaning = "Decay of the mean of gradients; below 1"},
    {.path = "model.updater.beta2", .type = kNumber, .standard = "0.999", .min = 0,
     .max = 0.999999, .only_for = "adam",
     .meaning = "Decay of the mean of squared gradients; below 1"},
    {.path = "model.updater.epsilon", .type = kNumber, .standard = "1e-08", .min = 1e-30, .max = 1,
     .only_for = "adam", .meaning = "Added to the root of the squares' mean"},
    {.path = "model.weight_init", .type = kObject, .standard = "{\"type\":\"xavier\"}",
     .meaning = "How weights start, in layers that do not say it"},
    {.path = "model.weight_init.type", .type = kChoice, .standard = "", .choices = kInits,
     .meaning = "Distribution of the first weights"},
    {.path = "model.weight_init.std", .type = kNumber, .standard = "", .min = 0,
     .max = kMaxCoefficient, .only_for = "normal", .meaning = "Standard deviation"},
    {.path = "model.l2", .type = kNumber, .standard = "0.0", .min = 0,
     .max = kMaxCoefficient, .meaning = "L2: this times the weight is added to its gradient"},
    {.path = "model.weight_decay", .type = kNumber, .standard = "0.0", .min = 0,
     .max = kMaxCoefficient,
     .meaning = "Decoupled decay: a step takes rate times this times the weight off the weight"},
    {.path = "model.clip_gradients_by_value", .type = kNumber, .standard = "0.0", .min = 0,
     .max = 1e30, .meaning = "Largest magnitude of a gradient's element; 0 = off"},
    {.path = "model.clip_gradients_by_norm", .type = kNumber, .standard = "0.0", .min = 0,
     .max = 1e30, .meaning = "Largest L2 norm of the whole gradient; 0 = off"},
    {.path = "model.layers", .type = kObjectList, .standard = "",
     .meaning = "The layers in order; the last one is an output"},
    {.path = "model.layers[].type", .type = kChoice, .standard = "",
     .choices = "dense|conv2d|max_pool2d|avg_pool2d|activation|dropout|batch_norm|flatten|output",
     .meaning = "Kind of the layer"},
    {.path = "model.layers[].name", .type = kString, .standard = "-",
     .meaning = "Up to 63 letters, digits, `_`, `-`, beginning with a letter; default: kind and "
                "number, as `conv1`"},
    {.path = "model.layers[].units", .type = kInteger, .standard = "", .min = 1, .max = kExtent,
     .only_for = "dense|output",
     .meaning = "Outputs of the layer; of the last one: classes or targets"},
    {.path = "model.layers[].loss", .type = kChoice, .standard = "",
     .choices = "softmax_cross_entropy|mean_squared_error", .only_for = "output",
     .meaning = "What is minimized"},
    {.path = "model.layers[].filters", .type = kInteger, .standard = "", .min = 1, .max = kExtent,
     .only_for = "conv2d", .meaning = "Output channels"},
    {.path = "model.layers[].groups", .type = kInteger, .standard = "1", .min = 1, .max = kExtent,
     .only_for = "conv2d", .meaning = "Groups of channels that do not see each other"},
    {.path = "model.layers[].kernel", .type = kIntegerList, .standard = "-", .unit = "pixels",
     .min = 1, .max = kMaxWindow, .only_for = kWindowed,
     .meaning = "Height and width of the window, or one number for both; default: 3 for conv2d, "
                "2 for pooling"},
    {.path = "model.layers[].stride", .type = kIntegerList, .standard = "-", .unit = "pixels",
     .min = 1, .max = kMaxWindow, .only_for = kWindowed,
     .meaning = "Steps of the window, down and across; default: 1 for conv2d, the kernel for "
                "pooling"},
    {.path = "model.layers[].padding", .type = kIntegerList, .standard = "[0,0]", .unit = "pixels",
     .min = 0, .max = kMaxWindow - 1, .only_for = kWindowed,
     .meaning = "Border on both sides, smaller than the kernel"},
    {.path = "model.layers[].bias", .type = kBool, .standard = "true", .only_for = kWeighted,
     .meaning = "Whether the layer adds a bias"},
    {.path = "model.layers[].activation", .type = kObject, .standard = "{\"type\":\"identity\"}",
     .only_for = "dense|conv2d|output|activation",
     .meaning = "Function behind the layer; required for activation layers"},
    {.path = "model.layers[].activation.type", .type = kChoice, .standard = "",
     .choices = kActivations, .meaning = "Name of the function"},
    {.path = "model.layers[].activation.alpha", .type = kNumber, .standard = "0.01", .min = 0,
     .max = 1, .only_for = "leaky_relu", .meaning = "Slope left of 0"},
    {.path = "model.layers[].weight_init", .type = kObject, .standard = "null",
     .only_for = kWeighted, .meaning = "How the layer's weights start; null = the model's way"},
    {.path = "model.layers[].weight_init.type", .type = kChoice, .standard = "", .choices = kInits,
     .meaning = "Distribution of the first weights"},
    {.path = "model.layers[].weight_init.std", .type = kNumber, .standard = "", .min = 0,
     .max = kMaxCoefficient, .only_for = "normal", .meaning = "Standard deviation"},
    {.path = "model.layers[].l2", .type = kNumber, .standard = "null", .min = 0,
     .max = kMaxCoefficient,
     .only_for = kWeighted, .meaning = "The layer's own L2; null = the model's"},
    {.path = "model.layers[].weight_decay", .type = kNumber, .standard = "null", .min = 0,
     .max = kMaxCoefficient, .only_for = kWeighted,
     .meaning = "The layer's own weight decay; null = the model's"},
    {.path = "model.layers[].probability", .type = kNumber, .standard = "0.5", .min = 0,
     .max = 0.999999, .only_for = "dropout",
     .meaning = "Probability of dropping a value; below 1"},
    {.path = "model.layers[].epsilon", .type = kNumber, .standard = "1e-05", .min = 1e-12,
     .max = 1, .only_for = "batch_norm", .meaning = "Added to the variance"},
    {.path = "model.layers[].decay", .type = kNumber, .standard = "0.9", .min = 0, .max = 1,
     .only_for = "batch_norm", .meaning = "Share of the running moments that a step keeps"},

    {.path = "training", .type = kObject, .standard = "{}", .meaning = "How the job trains"},
    {.path = "training.epochs", .type = kInteger, .standard = "1", .unit = "epochs", .min = 1,
     .max = kMaxEpochs, .meaning = "Passes over the training set"},
    {.path = "training.workers", .type = kInteger, .standard = "1", .unit = "workers", .min = 1,
     .max = kMaxWorkers,
     .meaning = "M, the logical workers: part of the result, whatever number of executors runs "
                "them"},
    {.path = "training.batch_size", .type = kInteger, .standard = "32", .unit = "examples",
     .min = 1, .max = kMaxBatchSize, .meaning = "Examples per worker and step"},
    {.path = "training.averaging_frequency", .type = kInteger, .standard = "8", .unit = "steps",
     .min = 1, .max = kMaxAveragingFrequency,
     .meaning = "H, the steps of each worker between two merges"},
    {.path = "training.strategy", .type = kObject, .standard = "{\"type\":\"average\"}",
     .meaning = "What the contributions of a round become"},
    {.path = "training.strategy.type", .type = kChoice, .standard = "\"average\"",
     .choices = "average|outer",
     .meaning = "`average` = the mean of the workers' states; `outer` = a step of an outer optimizer "
                "along the mean of their changes"},
    {.path = "training.strategy.learning_rate", .type = kNumber, .standard = "1.0", .min = 0,
     .max = kMaxCoefficient, .only_for = "outer", .meaning = "Rate of the outer step"},
    {.path = "training.strategy.momentum", .type = kNumber, .standard = "0.5", .min = 0,
     .max = 0.999999, .only_for = "outer", .meaning = "Momentum of the outer step; below 1"},
    {.path = "training.strategy.nesterov", .type = kBool, .standard = "true", .only_for = "outer",
     .meaning = "Whether its momentum is Nesterov's, else Polyak's"},
    {.path = "training.updater_state", .type = kChoice, .standard = "\"average\"",
     .choices = "average|reset|keep", .meaning = "What becomes of updater state at a merge"},
    {.path = "training.shuffle", .type = kChoice, .standard = "\"global\"",
     .choices = "global|partition",
     .meaning = "Whether an epoch permutes all examples, or each worker its own"},
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
     .meaning = "Rounds between checkpoints; 0 = not by rounds"},
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
     .meaning = "Ends the job when the test set stops improving; null = off; needs `data.test`"},
    {.path = "training.early_stopping.metric", .type = kChoice, .standard = "\"loss\"",
     .choices = "loss|accuracy", .meaning = "What is watched"},
    {.path = "training.early_stopping.mode", .type = kChoice, .standard = "\"auto\"",
     .choices = "auto|minimize|maximize",
     .meaning = "Direction of better; auto = minimize a loss, maximize an accuracy"},
    {.path = "training.early_stopping.patience", .type = kInteger, .standard = "3",
     .unit = "epochs", .min = 1, .max = kMaxEpochs,
     .meaning = "Epochs in a row without an improvement"},
    {.path = "training.early_stopping.min_delta", .type = kNumber, .standard = "0.0", .min = 0,
     .max = 1e30, .meaning = "An improvement is more than this"},

    {.path = "data", .type = kObject, .standard = "", .meaning = "What the job trains on"},
    {.path = "data.normalizer", .type = kChoice, .standard = "\"none\"",
     .choices = "none|standardize|min_max",
     .meaning = "Fitted on the training set at import, applied to both"},
#define DL_DATASET_KEYS(SPLIT, STANDARD, MEANING)                                                 \
    {.path = SPLIT, .type = kObject, .standard = STANDARD, .meaning = MEANING},                   \
    {.path = SPLIT ".format", .type = kChoice, .standard = "",                                    \
     .choices = "idx|cifar10|csv|manifest",                                                       \
     .meaning = "What the files are; `manifest` = the dataset of a job of this master"},                             \
    {.path = SPLIT ".features", .type = kString, .standard = "", .only_for = "idx",               \
     .meaning = "File with the images or rows, plain or gzip"},                                   \
    {.path = SPLIT ".labels", .type = kString, .standard = "", .only_for = "idx",                 \
     .meaning = "File with the labels"},                                                          \
    {.path = SPLIT ".class_names", .type = kStringList, .standard = "[]", .only_for = "idx",      \
     .meaning = "Names of the classes; empty = as many classes as the largest label says"},       \
    {.path = SPLIT ".paths", .type = kStringList, .standard = "", .only_for = "cifar10",          \
     .meaning = "Binary batch files"},                                                            \
    {.path = SPLIT ".path", .type = kString, .standard = "", .only_for = "csv",                   \
     .meaning = "The table's file"},                                                              \
    {.path = SPLIT ".header", .type = kBool, .standard = "true", .only_for = "csv",               \
     .meaning = "Whether the first row holds names"},                                             \
    {.path = SPLIT ".separator", .type = kString, .standard = "\",\"", .only_for = "csv",         \
     .meaning = "One character between fields"},                                                  \
    {.path = SPLIT ".label_column", .type = kStringOrInteger, .standard = "-1", .min = -kExtent,  \
     .max = kExtent, .only_for = "csv",                                                           \
     .meaning = "Name or index (from 0) of the label's column; negative ones count from the "     \
                "end: the last is the default"},                                                  \
    {.path = SPLIT ".label_type", .type = kChoice, .standard = "\"class\"",                       \
     .choices = "class|number", .only_for = "csv",                                                \
     .meaning = "Whether labels are classes or numbers to predict"},                              \
    {.path = SPLIT ".sha256", .type = kString, .standard = "", .only_for = "manifest",            \
     .meaning = "SHA-256 of the manifest, 64 hex digits"},                                        \
    {.path = SPLIT ".examples", .type = kInteger, .standard = "", .unit = "examples", .min = 1,   \
     .max = kMaxExamples, .only_for = "manifest", .meaning = "Number of examples"},               \
    {.path = SPLIT ".feature_shape", .type = kIntegerList, .standard = "", .min = 1,              \
     .max = kExtent, .only_for = "manifest",                                                      \
     .meaning = "Channels, height, width of an image, or the features of a row"},                 \
    {.path = SPLIT ".classes", .type = kInteger, .standard = "", .min = 0, .max = kMaxClasses,    \
     .only_for = "manifest", .meaning = "Number of classes; 0 = labels are numbers"},             \
    {.path = SPLIT ".targets", .type = kInteger, .standard = "", .min = 0, .max = kExtent,        \
     .only_for = "manifest",                                                                      \
     .meaning = "Numbers to predict per example; 0 = labels are classes"}
    DL_DATASET_KEYS("data.train", "", "The training set"),
    DL_DATASET_KEYS("data.test", "null", "The test set; null = none"),
#undef DL_DATASET_KEYS
};
// clang-format on

}  // namespace

std::span<const KeyInfo> Keys() { return kKeys; }

}  // namespace dl::job
