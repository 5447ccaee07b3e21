// The engine's side of nn/conf/layers/conv1d.h and pool1d.h for sequences with lengths of their
// own.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Gives what it reads, with 0 after each example's last step: a convolution then sees what a
// shorter sequence would be padded with.
std::unique_ptr<CompiledLayer> CompileStepMask(const InputType& input);

// REQUIRES: the windows have stride 1 and keep the number of steps.
std::unique_ptr<CompiledLayer> CompileStepMaxPool(const MaxPool1D& conf, const InputType& input);
std::unique_ptr<CompiledLayer> CompileStepAvgPool(const AvgPool1D& conf, const InputType& input);

}  // namespace dl::nn
