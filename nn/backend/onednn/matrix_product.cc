#include "nn/backend/matrix_product.h"

#include "nn/backend/onednn/onednn.h"
#include "nn/backend/onednn/onednn_products.h"

namespace dl::nn {
namespace {

using dnnl::memory;
using Storage = MatrixProductGeometry::Storage;

// A single product has two dimensions, because oneDNN's kernels for it are faster than for a batch
// of one.
memory::desc Matrices(int64_t batch, int64_t rows, int64_t columns, Storage storage,
                      DataType type) {
  memory::dims dims{rows, columns};
  memory::dims strides{columns, 1};
  if (storage == Storage::kTransposed) strides = {1, rows};
  if (batch > 1) {
    dims.insert(dims.begin(), batch);
    strides.insert(strides.begin(), rows * columns);
  }
  return {dims, OnednnTypeOf(type), strides};
}

bool HasBlocks(const memory::desc& desc) { return desc.data.format_desc.blocking.inner_nblks > 0; }

}  // namespace

Layout MatrixProductB(const MatrixProductGeometry& g) {
  return MakeLayout(Matrices(g.batch, g.inner, g.columns, g.b, g.factors));
}

StatusOr<Primitive> OnednnMatrixProduct(const MatrixProductGeometry& g) {
  return Guarded("a matrix product", [&] {
    const memory::desc a = Matrices(g.batch, g.rows, g.inner, g.a, g.factors);
    const memory::desc b = Matrices(g.batch, g.inner, g.columns, g.b, g.factors);
    const memory::desc c = Matrices(g.batch, g.rows, g.columns, Storage::kPlain, g.product);
    dnnl::primitive_attr attr = UserScratchpad();
    if (g.result == MatrixProductGeometry::Result::kAdd) {
      dnnl::post_ops sum;
      sum.append_sum(1.0f);
      attr.set_post_ops(sum);
    }
    dnnl::matmul::primitive_desc pd({a, b, c}, attr, CpuEngine());
    if (g.packs_b) {
      const dnnl::matmul::primitive_desc packed({a, AnyDesc(b.dims(), g.factors), c}, attr,
                                                CpuEngine());
      if (HasBlocks(packed.weights_desc())) pd = packed;
    }
    return MakePrimitive(
        dnnl::matmul(pd), pd,
        {{Role::kSource, a}, {Role::kWeights, pd.weights_desc()}, {Role::kDestination, c}});
  });
}

}  // namespace dl::nn
