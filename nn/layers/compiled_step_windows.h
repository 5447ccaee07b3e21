// Compiles the layers of nn/conf/layers/conv1d.h and pool1d.h for sequences of variable length.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Copies the input and sets the rows after each example's last step to 0. A convolution then sees
// the zeros with which it would pad a shorter sequence.
std::unique_ptr<CompiledLayer> CompileStepMask(const InputType& input);

// Only the types of the input and output of `layer` are read. Both are sequences.
std::unique_ptr<CompiledLayer> CompileStepMaxPool(const MaxPool1D& conf, const LayerConfig& layer);
std::unique_ptr<CompiledLayer> CompileStepAvgPool(const AvgPool1D& conf, const LayerConfig& layer);

}  // namespace dl::nn
