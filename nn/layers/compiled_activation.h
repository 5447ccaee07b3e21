// Compiles the activation functions of nn/conf/activation.h. They overwrite their input, unless
// another layer or a derivative reads it. A function with f(0) = 0 works on any layout. Other
// functions need a plain layout, and softmax computes whole rows of it.
#pragma once

#include <memory>

#include "nn/conf/activation.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Returns nullptr for the identity.
std::unique_ptr<CompiledLayer> CompileActivation(const ActivationConf& activation);

}  // namespace dl::nn
