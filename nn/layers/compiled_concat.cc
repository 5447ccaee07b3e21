#include "nn/layers/compiled_concat.h"

#include <algorithm>

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
    int64_t begin = 0;
    for (size_t i = 0; i < parts().size(); ++i) {
      for (int64_t r = 0; r < rows_; ++r)
        std::copy_n(parts()[i].x + r * widths_[i], widths_[i], y() + r * width_ + begin);
      begin += widths_[i];
    }
    return absl::OkStatus();
  }

  Status JoinGradients() override {
    int64_t begin = 0;
    for (size_t i = 0; i < parts().size(); ++i) {
      float* const dx = parts()[i].dx;
      for (int64_t r = 0; dx != nullptr && r < rows_; ++r)
        std::copy_n(dy() + r * width_ + begin, widths_[i], dx + r * widths_[i]);
      begin += widths_[i];
    }
    return absl::OkStatus();
  }

  // Kept here because asking a layout for its dimensions allocates, and steps must not allocate.
  int64_t rows_ = 0, width_ = 0;  // values of one example
  std::vector<int64_t> widths_;   // values of one example of each input
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileConcat() { return std::make_unique<ConcatLayer>(); }

}  // namespace dl::nn
