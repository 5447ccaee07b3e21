#include "nn/backend/own/own_products.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "nn/backend/own/own_kernel.h"
#include "nn/backend/own/portable_lanes.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/product/position_product.h"
#include "nn/kernels/product/row_product.h"

namespace dl::nn {
namespace {

using Order = PanelSource::Order;
using Storage = MatrixProductGeometry::Storage;

// C = A B, all plain or transposed.
struct Shape {
  int64_t rows = 1, inner = 1, columns = 1;
  Order a = Order::kAlong, b = Order::kAcross;  // kAlong: the inner index is contiguous
  bool adds = false;
};

struct Matrices {
  const float *a = nullptr, *b = nullptr, *bias = nullptr;
  float* c = nullptr;
};

// A product with one of the two loops of nn/kernels/product.
class MatrixKernel {
 public:
  static StatusOr<MatrixKernel> Create(const Shape& shape, int lanes);

  int64_t units() const { return rows_ ? rows_->units() : positions_->units(); }
  // Floats that a unit reads and multiplies, as ParallelFor counts them.
  int64_t FloatsOfUnit() const { return floats_ / units() + 1; }
  void ComputeUnits(const Matrices& m, int64_t first, int64_t last) const {
    if (positions_) {
      positions_->ComputeUnits({.source = m.a, .gradient = m.b, .result = m.c}, first, last);
    } else if (is_swapped_) {
      rows_->ComputeUnits({.source = m.b, .factor = m.a, .bias = m.bias, .result = m.c}, first,
                          last);
    } else {
      rows_->ComputeUnits({.source = m.a, .factor = m.b, .bias = m.bias, .result = m.c}, first,
                          last);
    }
  }

 private:
  void UseRows(const Shape& shape, int lanes);
  Status UsePositions(const Shape& shape, int lanes);

  std::shared_ptr<const RowProduct> rows_;  // shared by bound kernels
  std::shared_ptr<const PositionProduct> positions_;
  bool is_swapped_ = false;  // computes the columns of C as rows
  int64_t floats_ = 0;
};

// About the time of a product with these numbers of rows and of columns, for each inner index.
// Columns fill whole vectors, and are copied first, which takes longer if they are transposed.
int64_t CostOf(int64_t rows, int64_t columns, int64_t lanes, Order order) {
  const int64_t filled = (columns + lanes - 1) / lanes * lanes;
  return rows * filled + columns * (order == Order::kAlong ? lanes * 3 / 2 : lanes / 4);
}

// About the time of writing the sums of a block to columns, in the units of CostOf. Each value
// takes one and a half cycles.
int64_t CostOfColumns(const Shape& s, int64_t lanes) {
  return s.rows * s.columns * 3 * lanes / std::min(s.inner, kProductBlock);
}

void MatrixKernel::UseRows(const Shape& s, int lanes) {
  is_swapped_ =
      s.a == Order::kAcross ||
      (s.b == Order::kAlong && CostOf(s.columns, s.rows, lanes, s.a) + CostOfColumns(s, lanes) <
                                   CostOf(s.rows, s.columns, lanes, s.b));
  const Order order = is_swapped_ ? s.a : s.b;
  RowProductGeometry g{.images = is_swapped_ ? s.columns : s.rows,
                       .source_image = s.inner,
                       .result_image = is_swapped_ ? 1 : s.columns,
                       .classes = {{.rows = {{}}, .taps = {{}}}},
                       .inner = s.inner,
                       .columns = is_swapped_ ? s.rows : s.columns,
                       .result_column = is_swapped_ ? s.columns : 1,
                       .bias_of_rows = is_swapped_,
                       .order = order,
                       .adds = s.adds,
                       .lanes = lanes};
  g.factor_stride = order == Order::kAlong ? s.inner : g.columns;
  rows_ = std::make_shared<const RowProduct>(std::move(g));
}

Status MatrixKernel::UsePositions(const Shape& s, int lanes) {
  const PositionProductGeometry g{.positions = s.inner,
                                  .source_position = s.rows,
                                  .taps = {{{.last = s.inner}}},
                                  .rows = s.rows,
                                  .columns = s.columns,
                                  .gradient_position = s.columns,
                                  .result_row = s.columns,
                                  .adds = s.adds,
                                  .lanes = lanes};
  if (!PositionProduct::Supports(g)) {
    return FailedPrecondition({.message = "the portable kernels lack a product of this size",
                               .where = "kernels",
                               .remedy = "Use native kernels."});
  }
  positions_ = std::make_shared<const PositionProduct>(g);
  return absl::OkStatus();
}

StatusOr<MatrixKernel> MatrixKernel::Create(const Shape& s, int lanes) {
  MatrixKernel kernel;
  kernel.floats_ = s.rows * s.columns * s.inner / lanes;
  if (s.a == Order::kAcross && s.b == Order::kAcross) {
    DL_RETURN_IF_ERROR(kernel.UsePositions(s, lanes));
  } else {
    kernel.UseRows(s, lanes);
  }
  return kernel;
}

void Run(const MatrixKernel& kernel, const Matrices& m) {
  ForRows(kernel.units(), kernel.FloatsOfUnit(),
          [&](int64_t begin, int64_t end) { kernel.ComputeUnits(m, begin, end); });
}

}  // namespace

StatusOr<Primitive> OwnMatrixProduct(const MatrixProductGeometry& g) {
  DL_ASSIGN_OR_RETURN(const int lanes, PortableLanes());
  const bool is_plain = g.packs_b || g.b == Storage::kPlain;
  const Shape shape{.rows = g.rows,
                    .inner = g.inner,
                    .columns = g.columns,
                    .a = g.a == Storage::kPlain ? Order::kAlong : Order::kAcross,
                    .b = is_plain ? Order::kAcross : Order::kAlong,
                    .adds = g.result == MatrixProductGeometry::Result::kAdd};
  DL_ASSIGN_OR_RETURN(const MatrixKernel kernel, MatrixKernel::Create(shape, lanes));
  MatrixProductGeometry read = g;
  if (is_plain) read.b = Storage::kPlain;
  const std::vector<int64_t> a = {g.batch * g.rows, g.inner}, c = {g.batch * g.rows, g.columns};
  return OwnPrimitive(
      "matrix_product",
      {{Role::kSource, Layout::Plain(a)},
       {Role::kWeights, MatrixProductB(read)},
       {Role::kDestination, Layout::Plain(c)}},
      [kernel, g](const BufferPointers& buffers) {
        const int64_t units = kernel.units();
        ForRows(g.batch * units, kernel.FloatsOfUnit(), [&](int64_t begin, int64_t end) {
          while (begin < end) {
            const int64_t i = begin / units, last = std::min(end, (i + 1) * units);
            kernel.ComputeUnits(
                {.a = buffers.Get<const float>(Role::kSource) + i * g.rows * g.inner,
                 .b = buffers.Get<const float>(Role::kWeights) + i * g.inner * g.columns,
                 .c = buffers.Get<float>(Role::kDestination) + i * g.rows * g.columns},
                begin - i * units, last - i * units);
            begin = last;
          }
        });
      });
}

namespace {

struct DenseLayouts {
  Layout source, weights, bias, destination;
};

DenseLayouts LayoutsOf(const InnerProductGeometry& g) {
  const std::vector<int64_t> destination = {g.source[0], g.outputs};
  return {.source = Layout::Plain(g.source),
          .weights = InnerProductWeightsLayout(g),
          .bias = Layout::Plain({&g.outputs, 1}),
          .destination = Layout::Plain(destination)};
}

int64_t InputsOf(const InnerProductGeometry& g) {
  return Layout::Plain(g.source).elements() / g.source[0];
}

}  // namespace

StatusOr<Primitive> OwnInnerProductForward(const InnerProductGeometry& g) {
  DL_ASSIGN_OR_RETURN(const int lanes, PortableLanes());
  const Shape shape{
      .rows = g.source[0], .inner = InputsOf(g), .columns = g.outputs, .b = Order::kAlong};
  DL_ASSIGN_OR_RETURN(const MatrixKernel kernel, MatrixKernel::Create(shape, lanes));
  const DenseLayouts of = LayoutsOf(g);
  Kernel::Layouts layouts = {{Role::kSource, of.source},
                             {Role::kWeights, of.weights},
                             {Role::kDestination, of.destination}};
  if (g.has_bias) layouts.emplace(Role::kBias, of.bias);
  return OwnPrimitive("inner_product", std::move(layouts), [kernel](const BufferPointers& buffers) {
    Run(kernel, {.a = buffers.Get<const float>(Role::kSource),
                 .b = buffers.Get<const float>(Role::kWeights),
                 .bias = buffers.Get<const float>(Role::kBias),
                 .c = buffers.Get<float>(Role::kDestination)});
  });
}

StatusOr<Primitive> OwnInnerProductBackwardData(const InnerProductGeometry& g) {
  DL_ASSIGN_OR_RETURN(const int lanes, PortableLanes());
  const Shape shape{.rows = g.source[0], .inner = g.outputs, .columns = InputsOf(g)};
  DL_ASSIGN_OR_RETURN(const MatrixKernel kernel, MatrixKernel::Create(shape, lanes));
  const DenseLayouts of = LayoutsOf(g);
  return OwnPrimitive("inner_product",
                      {{Role::kDiffSource, of.source},
                       {Role::kWeights, of.weights},
                       {Role::kDiffDestination, of.destination}},
                      [kernel](const BufferPointers& buffers) {
                        Run(kernel, {.a = buffers.Get<const float>(Role::kDiffDestination),
                                     .b = buffers.Get<const float>(Role::kWeights),
                                     .c = buffers.Get<float>(Role::kDiffSource)});
                      });
}

StatusOr<Primitive> OwnInnerProductBackwardWeights(const InnerProductGeometry& g) {
  DL_ASSIGN_OR_RETURN(const int lanes, PortableLanes());
  const Shape shape{
      .rows = g.outputs, .inner = g.source[0], .columns = InputsOf(g), .a = Order::kAcross};
  DL_ASSIGN_OR_RETURN(const MatrixKernel kernel, MatrixKernel::Create(shape, lanes));
  const DenseLayouts of = LayoutsOf(g);
  Kernel::Layouts layouts = {{Role::kSource, of.source},
                             {Role::kDiffWeights, of.weights},
                             {Role::kDiffDestination, of.destination}};
  if (g.has_bias) layouts.emplace(Role::kDiffBias, of.bias);
  return OwnPrimitive(
      "inner_product", std::move(layouts), [kernel, g](const BufferPointers& buffers) {
        const auto* const gradient = buffers.Get<const float>(Role::kDiffDestination);
        Run(kernel, {.a = gradient,
                     .b = buffers.Get<const float>(Role::kSource),
                     .c = buffers.Get<float>(Role::kDiffWeights)});
        if (!g.has_bias) return;
        auto* const bias = buffers.Get<float>(Role::kDiffBias);
        ForColumns(g.outputs, g.source[0], [&](int64_t begin, int64_t end) {
          SumPositions(gradient, g.source[0], g.outputs, {begin, end}, bias);
        });
      });
}

}  // namespace dl::nn
