// Compiles the activation functions of nn/conf/activation.h. They overwrite their input. If another
// layer or a backward pass reads the input later, they overwrite a copy. A function with f(0) = 0
// works on any layout, because padding stays 0. Other functions need a plain layout. Softmax also
// needs it to compute whole rows.
#pragma once

#include <memory>

#include "nn/conf/activation.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Returns nullptr for the identity.
std::unique_ptr<CompiledLayer> CompileActivation(const ActivationConf& activation);

}  // namespace dl::nn
