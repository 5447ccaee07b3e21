// Engine implementation of nn/conf/layers/conv1d.h and pool1d.h for sequences of variable length.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Copies the input and sets the rows after each example's last step to 0. A convolution then sees
// the zeros with which it would pad a shorter sequence.
std::unique_ptr<CompiledLayer> CompileStepMask(const InputType& input);

// REQUIRES: the windows have stride 1 and keep the number of steps.
std::unique_ptr<CompiledLayer> CompileStepMaxPool(const MaxPool1D& conf, const InputType& input);
std::unique_ptr<CompiledLayer> CompileStepAvgPool(const AvgPool1D& conf, const InputType& input);

}  // namespace dl::nn
