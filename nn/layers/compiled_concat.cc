#include "nn/layers/compiled_concat.h"

#include <algorithm>

#include "nn/backend/parallel_for.h"
#include "nn/layers/joining.h"

namespace dl::nn {
namespace {

// Joins inputs [n, c, ...] of different c. In row-major order the output of an example is the
// values of its inputs, one input after another.
class ConcatLayer : public JoiningLayer {
  Layouts LayoutsOf(std::span<const Tensor> inputs) override {
    Layouts layouts;
    std::vector<int64_t> dims = inputs.front().layout.dims();
    rows_ = dims[0];
    dims[1] = 0;
    widths_.clear();
    for (const Tensor& input : inputs) {
      layouts.parts.push_back(Layout::Plain(input.layout.dims()));
      dims[1] += input.layout.dims()[1];
      widths_.push_back(layouts.parts.back().elements() / rows_);
    }
    layouts.output = Layout::Plain(dims);
    width_ = layouts.output.elements() / rows_;
    return layouts;
  }

  Status Join() override {
    ForRows(rows_, width_, [&](int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) JoinRow(r);
    });
    return absl::OkStatus();
  }

  Status JoinGradients() override {
    ForRows(rows_, width_, [&](int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) DivideGradientRow(r);
    });
    return absl::OkStatus();
  }

  void JoinRow(int64_t r) {
    float* to = y() + r * width_;
    for (size_t i = 0; i < parts().size(); ++i)
      to = std::copy_n(parts()[i].x + r * widths_[i], widths_[i], to);
  }

  void DivideGradientRow(int64_t r) {
    const float* from = dy() + r * width_;
    for (size_t i = 0; i < parts().size(); from += widths_[i], ++i) {
      float* const dx = parts()[i].dx;
      if (dx != nullptr) std::copy_n(from, widths_[i], dx + r * widths_[i]);
    }
  }

  // Kept here because asking a layout for its dimensions allocates, and steps must not allocate.
  int64_t rows_ = 0, width_ = 0;  // values of one example
  std::vector<int64_t> widths_;   // values of one example of each input
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileConcat() { return std::make_unique<ConcatLayer>(); }

}  // namespace dl::nn
