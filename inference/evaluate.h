// Evaluates a checkpoint in this process under the kernel contract of its job (dl-submit evaluate).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "base/json_fwd.h"
#include "base/limits.h"
#include "base/status.h"
#include "dataset/batch_reader.h"
#include "dataset/dataset.h"
#include "inference/checkpoint_reader.h"
#include "inference/output_report.h"
#include "nn/network.h"
#include "rpc/service.h"

namespace dl::inference {

// Evaluates all examples of `manifest` (canonical JSON), in batches of the job's evaluation batch
// size. Reads the examples in stored order. For a stateful model it reads them as a stream with one
// lane for each row of a batch (dataset::OrderOfEvaluation). Fetches the blocks from the master.
// `top` is the k of the top-k accuracy, which is left out unless there are more than k classes.
// Returns
//   {"examples","loss","kernel_contract"}
// with "weight_penalty" if the model has L1 or L2 (WeightPenalty, not part of the loss), and with
// the figures that fit the model:
//   - Classes: "accuracy","log_loss","brier","top_K_accuracy","macro_precision","macro_recall",
//     "macro_f1","kappa","mcc","roc_auc","average_precision","confusion":[[…]],
//     "classes":[{"class","class_number","examples","precision","recall","f1","roc_auc",
//     "average_precision"}]. Classes of steps also have "perplexity",
//     classes of pixels "mean_iou".
//   - Yes or no (binary_cross_entropy): "accuracy","outputs":[{"output","examples","accuracy",
//     "precision","recall","f1","roc_auc","average_precision"}]. "output" is the number of a unit
//     of the output layer, from 0. Layers of several units also have
//     "exact_match","micro_precision","micro_recall","micro_f1","macro_precision","macro_recall",
//     "macro_f1","roc_auc","average_precision".
//   - Sequences of classes: "accuracy","label_error_rate".
//   - Numbers: "outputs":[{"output","mse","mae","r2"}], with an entry for each unit, in the unit of
//     the data.
//   - Several output layers: "by_output":[{"layer","loss_weight", and the figures of each}].
//     "examples" and "accuracy" are then those of the last output; "loss" is the weighted sum. An
//     output for which no example has a label has only "layer", "loss_weight" and "examples".
//
// Entries of "classes" and of yes-or-no "outputs" that have "roc_auc" and "average_precision" also
// have "curve" and "at_threshold" (inference/curve_json.h). If there are two classes, only the
// second entry has them. If an output layer has more than 100 entries, none has them
// (PointsOfCurve).
//
// The headers in nn/metrics define the figures. A figure is missing if it has no value or would
// need too much memory. Rankings ("roc_auc", "average_precision") are missing if an output gives
// more than nn::ClassReport::kMaxScores probabilities for all examples together. The output's
// figures then contain "ranks_nothing_above" with this limit.
//
// The figures depend on the kernel contract, on the evaluation batch size and on the job's threads
// per worker, but not on the machine. Fixes the instruction set of the process. REQUIRES: `top` is
// at least 1. Errors:
//   - InvalidArgument if model and data do not fit, or if the import shuffled the examples and the
//     model is stateful.
//   - FailedPrecondition if this machine does not offer the contract, or if the process has another
//     instruction set.
//   - DataLoss for a damaged block.
//   - other errors of ContractOf, CompileCheckpoint and of fetching blocks.
StatusOr<Json> EvaluateCheckpoint(const LoadedCheckpoint& checkpoint, const std::string& manifest,
                                  int64_t top, rpc::ClientService& client);

// Receives each minibatch after its predictions were computed. Its examples have consecutive
// positions in `order`, from `first` on. Network::LastPredictions() returns the predictions. An
// error ends the evaluation.
using VisitMinibatch =
    std::function<Status(const dataset::Minibatch& batch,
                         const std::shared_ptr<const dataset::EpochOrder>& order, int64_t first)>;

struct EvaluationOptions {
  int64_t top = OutputReport::kTop;  // k of the top-k accuracy
  // Most classes of a confusion matrix, which has the classes that occur as a label or as a
  // prediction. A larger matrix is left out.
  int64_t max_matrix_classes = limits::kMaxConfusionClasses;
  // Evaluates no more than this number of examples, in whole batches, but at least the first batch.
  // The rest of the data is not read.
  int64_t max_examples = std::numeric_limits<int64_t>::max();
  VisitMinibatch visit = {};  // may be empty
};

// Evaluates `data` and returns what EvaluateCheckpoint returns, without "kernel_contract" and
// "weight_penalty". `network` must come from CompileCheckpoint for a checkpoint of the job. Its
// batch must be the job's evaluation batch size, or the number of examples of `data` if that is
// smaller. `data` is shared, as a reader holds it. Errors are those of EvaluateCheckpoint about the
// model and the data, and of options.visit.
StatusOr<Json> EvaluateExamples(const job::JobSpec& spec,
                                std::shared_ptr<const dataset::Dataset> data, nn::Network& network,
                                const EvaluationOptions& options);

}  // namespace dl::inference
