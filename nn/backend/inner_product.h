// Primitives of a dense layer: y[n,o] = b[o] + sum over i of w[o,i] x[n,i]. The source x has two
// dimensions [n, features] or four [n, c, h, w]. With four, i runs over (c, h, w) in row-major
// order, and the weights are described as [o, c, h, w], which is the same memory as [o, i].
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "nn/backend/primitive.h"
#include "nn/conf/kernel_set.h"

namespace dl::nn {

struct InnerProductGeometry {
  std::vector<int64_t> source;  // [n, features] or [n, c, h, w]
  int64_t outputs = 1;
  bool has_bias = true;
  ProductTypes types;
  KernelSet kernels = KernelSet::kNative;
};

// Returns the plain, row-major layout of the weights, in which a state stores them.
Layout InnerProductWeightsLayout(const InnerProductGeometry& geometry);

// Return primitives, or the errors of nn/backend/primitive.h. The native kernel chooses the layout
// of an argument that is empty, and the layouts of all other buffers except the bias.
// Primitive::layout returns them. If oneDNN's kernel has no blocks of weights, the weights have the
// layout of InnerProductWeightsLayout in all three. Portable kernels ignore the arguments: all
// their tensors are plain.
StatusOr<Primitive> InnerProductForward(const InnerProductGeometry& geometry, const Layout& source);
StatusOr<Primitive> InnerProductBackwardData(const InnerProductGeometry& geometry,
                                             const Layout& diff_destination);
StatusOr<Primitive> InnerProductBackwardWeights(const InnerProductGeometry& geometry,
                                                const Layout& source,
                                                const Layout& diff_destination);

}  // namespace dl::nn
