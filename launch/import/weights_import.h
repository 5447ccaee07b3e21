// Imports initial weights: uploads the tensors that a model takes from a file as blocks.
#pragma once

#include "base/status.h"
#include "job/initial_weights.h"
#include "launch/submission.h"
#include "nn/conf/model_config.h"
#include "rpc/service.h"

namespace dl::launch {

// Looks for each tensor of the model (parameters and moments of normalization) in the file. The
// name is searched in this order:
//   1. the name that `source.names` gives for the tensor or its layer, else its own name,
//   2. with PyTorch's names: weight and bias for gamma and beta, running_mean and running_var for
//      mean and variance.
// Tensors of recurrent layers may also be stored as PyTorch's modules store them
// (pytorch_recurrent.h), and weights of transposed convolutions (pytorch_transposed.h). Uploads the
// blocks that the master lacks, and reports in `options.progress` the tensors that are initialized
// by the seed. A tensor with another shape counts as missing. Returns InvalidArgument
//   - if the file lacks a name of `source.names`;
//   - with all missing tensors, if the file has no tensor of the model, or if it lacks some and
//     `source.missing` is not kSeed.
// Other errors are those of SafetensorsFile, AxesToExchange and BlockUpload.
StatusOr<job::ImportedWeights> ImportWeights(const job::SafetensorsWeights& source,
                                             const nn::ModelConfig& model,
                                             const ImportOptions& options,
                                             rpc::ClientService& client);

}  // namespace dl::launch
