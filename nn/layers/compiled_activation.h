// Compiled form of nn/conf/activation.h: elementwise in place on any layout, or on plain rows for
// softmax.
#pragma once

#include <memory>

#include "nn/conf/activation.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Returns nullptr for the identity.
std::unique_ptr<CompiledLayer> CompileActivation(const ActivationConf& activation);

}  // namespace dl::nn
