// A checkpoint measured here and now, by the engine of this process under the kernel contract of
// its job: what dl-submit evaluate does.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "launch/checkpoint_reader.h"
#include "rpc/service.h"

namespace dl::launch {

// The examples of `manifest` (canonical JSON) in stored order, in batches of the job's evaluation;
// blocks come from the master.
// {"examples","loss","kernel_contract"}, with L1 or L2 "weight_penalty" (WeightPenalty, which is no
// part of the loss), and as far as they suit the model
//   of classes  "accuracy","log_loss","brier","perplexity" (where each step of a sequence has a
//               class),"top_K_accuracy","macro_precision","macro_recall","macro_f1","kappa","mcc",
//               "roc_auc","average_precision","confusion":[[…]],"classes":[{"class","name",
//               "examples","precision","recall","f1","roc_auc","average_precision"}]
//   of answers yes and no (binary_cross_entropy)  "accuracy","outputs":[{"output","examples",
//               "accuracy","precision","recall","f1","roc_auc","average_precision"}]; of several
//               answers "exact_match","micro_precision","micro_recall","micro_f1",
//               "macro_precision","macro_recall","macro_f1","roc_auc","average_precision"
//   of sequences of classes  "accuracy","label_error_rate"
//   of numbers  "outputs":[{"output","mse","mae","r2"}]
//   of several outputs  "by_output":[{"layer","loss_weight", and the figures of each}]; "examples"
//               and "accuracy" are the last one's then, and "loss" is the weighted sum of theirs
// A figure that has no value, or that would take too much memory (nn/metrics), is not there. The
// headers in nn/metrics say what each is. The figures depend on the kernel contract and the job's
// batches of evaluation, and not on threads or machines. Fixes the process's instruction set.
// Errors: InvalidArgument when model and data do not fit, FailedPrecondition when this machine does
// not offer the contract, DataLoss for a damaged block.
// `top`: the k of the top-k accuracy of classes.
StatusOr<Json> EvaluateCheckpoint(const LoadedCheckpoint& checkpoint, const std::string& manifest,
                                  int64_t top, rpc::ClientService& client);

}  // namespace dl::launch
