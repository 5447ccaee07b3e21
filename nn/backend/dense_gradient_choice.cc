// Chooses the kernel of InnerProductBackwardWeights.
#include "nn/backend/amx_kernels.h"
#include "nn/backend/inner_product.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/backend/own/own_dense_gradient.h"
#include "nn/backend/own/own_products.h"
#include "nn/kernel_contract.h"

namespace dl::nn {

namespace {

// In float32 with AVX-512, oneDNN's kernel takes 0.95 to 2.4 times as long as the own one if there
// are at least this many rows and inputs. With fewer of both it takes 0.7 to 0.9 times as long.
// With AVX2 it is always faster (Emerald Rapids, one thread, bench/nn/dense_products).
constexpr int64_t kRows = 512, kInputs = 256;

StatusOr<bool> OwnIsFaster(const InnerProductGeometry& g) {
  if (g.types.for_weights != DataType::kFloat32) return false;
  DL_ASSIGN_OR_RETURN(const Isa level, ProcessIsa());
  const int64_t rows = g.source[0], inputs = Layout::Plain(g.source).elements() / rows;
  return ContractIsas(level).front() == Isa::kAvx512 && rows >= kRows && inputs >= kInputs;
}

// Whether a tensor that was computed in the layout can be read without a copy.
bool IsPlain(const Layout& layout) { return layout.empty() || layout.is_plain(); }

}  // namespace

// In bf16, oneDNN's kernel for AMX takes 1.2 to 2.4 times as long as the own one (Emerald Rapids,
// one thread; 128 to 2,048 rows, 256 to 4,096 inputs and outputs). Its kernels for small layers,
// without AMX, add in another order.
StatusOr<Primitive> InnerProductBackwardWeights(const InnerProductGeometry& g, const Layout& source,
                                                const Layout& diff_destination) {
  if (g.kernels == KernelSet::kPortable) return OwnInnerProductBackwardWeights(g);
  DL_ASSIGN_OR_RETURN(const bool own_is_faster, OwnIsFaster(g));
  if (own_is_faster && IsPlain(source) && IsPlain(diff_destination))
    return OwnInnerProductBackwardWeights(g);
  DL_ASSIGN_OR_RETURN(Primitive primitive,
                      OnednnInnerProductBackwardWeights(g, source, diff_destination));
  const bool may = MayUseAmxKernels() && primitive.name().ends_with("amx_bf16");
  if (!may || !CanComputeOwnDenseGradient(primitive)) return primitive;
  return OwnDenseGradient(primitive);
}

}  // namespace dl::nn
