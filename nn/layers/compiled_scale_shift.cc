#include "nn/layers/compiled_scale_shift.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/elementwise_kernels.h"
#include "nn/layers/plain_map.h"

namespace dl::nn {
namespace {

class ScaleShiftLayer : public PlainMapLayer {
 public:
  explicit ScaleShiftLayer(const ScaleShift& conf)
      : factor_(static_cast<float>(conf.factor)), shift_(static_cast<float>(conf.shift)) {}

 protected:
  std::vector<int64_t> Plan(const std::vector<int64_t>& input) override {
    n_ = Layout::Plain(input).elements();
    return input;
  }
  void Compute(const float* x, float* y) const override {
    ForElements(n_, [&](int64_t begin, int64_t end) {
      ScaledAndShifted(x + begin, factor_, shift_, y + begin, end - begin);
    });
  }
  void ComputeGradient(const float* dy, float* dx) const override {
    ForElements(n_, [&](int64_t begin, int64_t end) {
      ScaledBy(dy + begin, factor_, dx + begin, end - begin);
    });
  }

 private:
  float factor_, shift_;
  int64_t n_ = 0;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileScaleShift(const ScaleShift& conf) {
  return std::make_unique<ScaleShiftLayer>(conf);
}

}  // namespace dl::nn
