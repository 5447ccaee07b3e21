#include "nn/layers/permute.h"

#include <array>

#include "nn/layers/plain_map.h"

namespace dl::nn {
namespace {

// Row-major [examples, e0, e1, e2]; a sequence has an e0 of 1.
class PermuteLayer : public PlainMapLayer {
 public:
  PermuteLayer(const Permute& conf, const InputType& input) : is_image_(input.IsImage()) {
    extents_ = {1, input.height, input.channels};
    if (is_image_) extents_ = {input.channels, input.height, input.width};
    const std::array<int64_t, 3> strides = {extents_[1] * extents_[2], extents_[2], 1};
    const size_t skipped = 3 - conf.axes.size();
    for (size_t i = 0; i < 3; ++i) {
      const size_t from = i < skipped ? i : conf.axes[i - skipped] - 1 + skipped;
      output_[i] = extents_[from];
      strides_[i] = strides[from];
    }
  }

 protected:
  std::vector<int64_t> Plan(const std::vector<int64_t>& input) override {
    const int64_t values = extents_[0] * extents_[1] * extents_[2];
    examples_ = Layout::Plain(input).elements() / values;
    if (is_image_) return {examples_, output_[0], output_[1], output_[2]};
    return {examples_ * output_[1], output_[2]};
  }
  void Compute(const float* x, float* y) const override {
    ForEach([&](int64_t of_input, int64_t of_output) { y[of_output] = x[of_input]; });
  }
  void ComputeGradient(const float* dy, float* dx) const override {
    ForEach([&](int64_t of_input, int64_t of_output) { dx[of_input] = dy[of_output]; });
  }

 private:
  template <typename Move>
  void ForEach(const Move& move) const {
    int64_t next = 0;
    for (int64_t e = 0; e < examples_; ++e) {
      const int64_t example = next;
      for (int64_t i = 0; i < output_[0]; ++i) {
        for (int64_t j = 0; j < output_[1]; ++j) {
          const int64_t row = example + i * strides_[0] + j * strides_[1];
          for (int64_t k = 0; k < output_[2]; ++k) move(row + k * strides_[2], next++);
        }
      }
    }
  }

  bool is_image_;
  std::array<int64_t, 3> extents_ = {}, output_ = {};
  std::array<int64_t, 3> strides_ = {};  // in the input, of the output's axes
  int64_t examples_ = 0;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompilePermute(const Permute& conf, const InputType& input) {
  return std::make_unique<PermuteLayer>(conf, input);
}

}  // namespace dl::nn
