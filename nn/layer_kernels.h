// Says which kernels compute a layer of a compiled network.
#pragma once

#include <string>
#include <vector>

namespace dl::nn {

struct LayerKernels {
  // A layer of the model, or a part of one that is computed on its own, such as "dense1/flatten".
  std::string layer;
  // Names of primitives (Primitive::name in nn/backend/primitive.h), forward and backward, in the
  // order in which the layer binds them. A primitive that a layer binds several times, for example
  // once for each step of a sequence, is named as often. Plain loops, such as those of activations
  // and of LSTM cells, are not named.
  std::vector<std::string> kernels;
};

}  // namespace dl::nn
