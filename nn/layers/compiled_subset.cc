#include "nn/layers/compiled_subset.h"

#include <algorithm>

#include "nn/backend/parallel_for.h"
#include "nn/layers/plain_map.h"

namespace dl::nn {
namespace {

// Selects from each row of features, or from each example's contiguous channels.
class SubsetLayer : public PlainMapLayer {
 public:
  explicit SubsetLayer(const Subset& conf) : from_(conf.from), count_(conf.to - conf.from + 1) {}

 protected:
  std::vector<int64_t> Plan(const std::vector<int64_t>& input) override {
    rows_ = input[0];
    row_ = Layout::Plain(input).elements() / rows_;
    const int64_t area = row_ / input[1];
    begin_ = from_ * area;
    taken_ = count_ * area;
    std::vector<int64_t> output = input;
    output[1] = count_;
    return output;
  }
  void Compute(const float* x, float* y) const override {
    ForRows(rows_, taken_, [&](int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r)
        std::copy_n(x + r * row_ + begin_, taken_, y + r * taken_);
    });
  }
  void ComputeGradient(const float* dy, float* dx) const override {
    ForRows(rows_, row_, [&](int64_t first, int64_t last) {
      std::fill_n(dx + first * row_, (last - first) * row_, 0.0f);
      for (int64_t r = first; r < last; ++r)
        std::copy_n(dy + r * taken_, taken_, dx + r * row_ + begin_);
    });
  }

 private:
  int64_t from_, count_;
  int64_t rows_ = 0, row_ = 0, begin_ = 0, taken_ = 0;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileSubset(const Subset& conf) {
  return std::make_unique<SubsetLayer>(conf);
}

}  // namespace dl::nn
