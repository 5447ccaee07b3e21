// Chooses the kernel of InnerProductBackwardWeights.
#include "nn/backend/amx_kernels.h"
#include "nn/backend/inner_product.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/backend/own/own_dense_gradient.h"
#include "nn/backend/own/own_products.h"

namespace dl::nn {

// oneDNN's kernel for AMX takes 1.2 to 2.4 times as long as the own one (Emerald Rapids, one
// thread; 128 to 2,048 rows, 256 to 4,096 inputs and outputs). Its kernels for small layers,
// without AMX, add in another order.
StatusOr<Primitive> InnerProductBackwardWeights(const InnerProductGeometry& g, const Layout& source,
                                                const Layout& diff_destination) {
  if (g.kernels == KernelSet::kPortable) return OwnInnerProductBackwardWeights(g);
  DL_ASSIGN_OR_RETURN(Primitive primitive,
                      OnednnInnerProductBackwardWeights(g, source, diff_destination));
  const bool may = MayUseAmxKernels() && primitive.name().ends_with("amx_bf16");
  if (!may || !CanComputeOwnDenseGradient(primitive)) return primitive;
  return OwnDenseGradient(primitive);
}

}  // namespace dl::nn
