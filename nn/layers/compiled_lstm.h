// Compiles one direction of the layer of nn/conf/layers/lstm.h, without the product with the
// inputs. The compiled layer reads rows W x[t] + b, which a dense layer before it computes.
#pragma once

#include <memory>

#include "nn/layers/compiled_recurrence.h"

namespace dl::nn {

// `name` is the name of the layer. `forget_bias` is added to the argument of the forget
// gate's logistic function.
std::unique_ptr<CompiledLayer> CompileLstm(std::string name, const RecurrenceShape& shape,
                                           double forget_bias);

}  // namespace dl::nn
