#include "nn/layers/concat.h"

#include <algorithm>

#include "nn/layers/joining.h"

namespace dl::nn {
namespace {

// [n, c, ...] of several c: in row-major order each example's values lie behind one another.
class ConcatLayer : public JoiningLayer {
  Layouts LayoutsOf(std::span<const Tensor> inputs) override {
    Layouts layouts;
    std::vector<int64_t> dims = inputs.front().layout.dims();
    dims[1] = 0;
    for (const Tensor& input : inputs) {
      layouts.parts.push_back(Layout::Plain(input.layout.dims()));
      dims[1] += input.layout.dims()[1];
    }
    layouts.output = Layout::Plain(dims);
    return layouts;
  }

  Status Join() override {
    const int64_t whole = RowOf(layout());
    int64_t begin = 0;
    for (const Part& part : parts()) {
      const int64_t row = RowOf(part.layout);
      for (int64_t r = 0; r < rows(); ++r)
        std::copy_n(part.x + r * row, row, y() + r * whole + begin);
      begin += row;
    }
    return absl::OkStatus();
  }

  Status JoinGradients() override {
    const int64_t whole = RowOf(layout());
    int64_t begin = 0;
    for (const Part& part : parts()) {
      const int64_t row = RowOf(part.layout);
      for (int64_t r = 0; part.dx != nullptr && r < rows(); ++r)
        std::copy_n(dy() + r * whole + begin, row, part.dx + r * row);
      begin += row;
    }
    return absl::OkStatus();
  }

  int64_t rows() const { return layout().dims()[0]; }
  // Values of one example.
  int64_t RowOf(const Layout& of) const { return of.elements() / rows(); }
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileConcat() { return std::make_unique<ConcatLayer>(); }

}  // namespace dl::nn
