// A file of weights on its way to a master: the tensors that a model takes of it, as blocks.
#pragma once

#include "base/status.h"
#include "job/initial_weights.h"
#include "launch/submission.h"
#include "nn/conf/model_config.h"
#include "rpc/service.h"

namespace dl::launch {

// Looks for each tensor of the model (parameters and moments of normalization) in the file: under
// the name that `source.names` gives it or its layer, else under its own; where that is not there,
// gamma and beta also as weight and bias, mean and variance as running_mean and running_var, as
// PyTorch calls them. Tensors of recurrent layers are also those of PyTorch's modules
// (pytorch_recurrent.h). Uploads what the master lacks, and says in `options.progress` what begins
// by the seed. InvalidArgument lists every tensor that is missing, where that is an error.
StatusOr<job::ImportedWeights> ImportWeights(const job::SafetensorsWeights& source,
                                             const nn::ModelConfig& model,
                                             const ImportOptions& options,
                                             rpc::ClientService& client);

}  // namespace dl::launch
