// Compiles the layer of nn/conf/layers/simple_rnn.h, without the product with the inputs.
#pragma once

#include <memory>

#include "nn/conf/activation.h"
#include "nn/layers/compiled_recurrence.h"

namespace dl::nn {

// `name` is the name of the layer. `activation` is applied to the state in each step.
std::unique_ptr<CompiledLayer> CompileSimpleRnn(std::string name, const RecurrenceShape& shape,
                                                const ActivationConf& activation);

}  // namespace dl::nn
