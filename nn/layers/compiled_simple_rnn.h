// Compiles one direction of the layer of nn/conf/layers/simple_rnn.h, without the product with the
// inputs. The compiled layer reads rows W x[t] + b, which a dense layer before it computes.
#pragma once

#include <memory>

#include "nn/conf/activation.h"
#include "nn/layers/compiled_recurrence.h"

namespace dl::nn {

// `name` is the name of the layer. `activation` is f: in each step, the new state is f of the input
// row plus the product of the recurrent weights with the state before.
std::unique_ptr<CompiledLayer> CompileSimpleRnn(std::string name, const RecurrenceShape& shape,
                                                const ActivationConf& activation);

}  // namespace dl::nn
