// The portable kernels of products (nn/kernels/product): own:matrix_product and own:inner_product.
// The native set also uses OwnInnerProductBackwardWeights, for large layers. The functions have the
// contracts of those without "Own" in the headers of nn/backend. Tensors are plain. The functions
// return FailedPrecondition for sizes that the kernels lack.
#pragma once

#include "nn/backend/inner_product.h"
#include "nn/backend/matrix_product.h"

namespace dl::nn {

// With packs_b, a transposed B becomes plain.
StatusOr<Primitive> OwnMatrixProduct(const MatrixProductGeometry& geometry);

StatusOr<Primitive> OwnInnerProductForward(const InnerProductGeometry& geometry);
StatusOr<Primitive> OwnInnerProductBackwardData(const InnerProductGeometry& geometry);
StatusOr<Primitive> OwnInnerProductBackwardWeights(const InnerProductGeometry& geometry);

}  // namespace dl::nn
