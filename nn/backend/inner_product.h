// y[n,o] = b[o] + sum over i of w[o,i] x[n,i]. The source has two dimensions [n, features] or four
// [n, c, h, w]. With four, i runs over (c, h, w) in row-major order, and the weights are described
// as [o, c, h, w], which is the same memory as [o, i].
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "nn/backend/primitive.h"

namespace dl::nn {

struct InnerProductGeometry {
  std::vector<int64_t> source;  // [n, features] or [n, c, h, w]
  int64_t outputs = 1;
  bool has_bias = true;
};

Layout InnerProductWeightsLayout(const InnerProductGeometry& geometry);  // canonical

// Return primitives. oneDNN chooses each layout that is empty.
StatusOr<Primitive> InnerProductForward(const InnerProductGeometry& geometry, const Layout& source);
StatusOr<Primitive> InnerProductBackwardData(const InnerProductGeometry& geometry,
                                             const Layout& diff_destination);
StatusOr<Primitive> InnerProductBackwardWeights(const InnerProductGeometry& geometry,
                                                const Layout& source,
                                                const Layout& diff_destination);

}  // namespace dl::nn
