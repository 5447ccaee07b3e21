#include "nn/layers/compiled_permute.h"

#include <array>

#include "nn/backend/parallel_for.h"
#include "nn/layers/plain_map.h"

namespace dl::nn {
namespace {

// Views tensors as row-major [examples, e0, e1, e2, e3]. Missing axes have extent 1 and come first.
class PermuteLayer : public PlainMapLayer {
 public:
  PermuteLayer(const Permute& conf, const InputType& input) : is_sequence_(input.IsSequence()) {
    const std::vector<int64_t> shape = input.Shape();
    const size_t skipped = kAxes - shape.size();
    std::array<int64_t, kAxes> extents, strides;
    for (size_t i = kAxes; i-- > 0;) {
      extents[i] = i < skipped ? 1 : shape[i - skipped];
      strides[i] = values_;
      values_ *= extents[i];
    }
    for (size_t i = 0; i < kAxes; ++i) {
      const size_t from = i < skipped ? i : conf.axes[i - skipped] - 1 + skipped;
      output_[i] = extents[from];
      strides_[i] = strides[from];
      if (i >= skipped) shape_.push_back(output_[i]);
    }
  }

 protected:
  std::vector<int64_t> Plan(const std::vector<int64_t>& input) override {
    examples_ = Layout::Plain(input).elements() / values_;
    if (is_sequence_) return {examples_ * shape_[0], shape_[1]};
    std::vector<int64_t> output = shape_;
    output.insert(output.begin(), examples_);
    return output;
  }
  void Compute(const float* x, float* y) const override {
    ForEach([&](int64_t of_input, int64_t of_output) { y[of_output] = x[of_input]; });
  }
  void ComputeGradient(const float* dy, float* dx) const override {
    ForEach([&](int64_t of_input, int64_t of_output) { dx[of_input] = dy[of_output]; });
  }

 private:
  static constexpr size_t kAxes = 4;

  template <typename Move>
  void ForEach(const Move& move) const {
    ForRows(examples_, values_, [&](int64_t begin, int64_t end) { ForEachOf(begin, end, move); });
  }

  template <typename Move>
  void ForEachOf(int64_t first, int64_t last, const Move& move) const {
    int64_t next = first * values_;
    for (int64_t example = next; example < last * values_; example += values_) {
      for (int64_t i = 0; i < output_[0]; ++i) {
        for (int64_t j = 0; j < output_[1]; ++j) {
          for (int64_t k = 0; k < output_[2]; ++k) {
            const int64_t row = example + i * strides_[0] + j * strides_[1] + k * strides_[2];
            for (int64_t l = 0; l < output_[3]; ++l) move(row + l * strides_[3], next++);
          }
        }
      }
    }
  }

  bool is_sequence_;
  std::vector<int64_t> shape_;  // of the output
  std::array<int64_t, kAxes> output_ = {};
  std::array<int64_t, kAxes> strides_ = {};  // strides in the input, of the output's axes
  int64_t values_ = 1;                       // of an example
  int64_t examples_ = 0;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompilePermute(const Permute& conf, const InputType& input) {
  return std::make_unique<PermuteLayer>(conf, input);
}

}  // namespace dl::nn
