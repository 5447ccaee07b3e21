// The norms that an update needs. An update that needs norms begins when the gradients of all
// parameters are final. Any other update may change a parameter as soon as its gradient is final
// (ParameterStore::ConsumesGradient in nn/parameter_store.h states when).
#pragma once

#include "nn/conf/model_config.h"

namespace dl::nn {

// Returns whether the update rule uses the norms of each tensor: LARS and LAMB.
bool NeedsTensorNorms(const UpdaterConf& updater);
// Returns whether gradients are clipped by norm or normalized, so that they are scaled before the
// update rule uses them.
bool NeedsGradientNorms(const ModelConfig& model);

}  // namespace dl::nn
