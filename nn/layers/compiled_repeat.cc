#include "nn/layers/compiled_repeat.h"

#include "nn/kernels/sequence_kernels.h"
#include "nn/layers/plain_map.h"

namespace dl::nn {
namespace {

class RepeatLayer : public PlainMapLayer {
 public:
  explicit RepeatLayer(const Repeat& conf) : steps_(conf.steps) {}

 protected:
  std::vector<int64_t> Plan(const std::vector<int64_t>& input) override {
    shape_ = {.examples = input[0], .steps = steps_, .n = input[1]};
    return {input[0] * steps_, input[1]};
  }
  void Compute(const float* x, float* y) const override { RepeatRows(shape_, x, y); }
  void ComputeGradient(const float* dy, float* dx) const override { SumOverSteps(shape_, dy, dx); }

 private:
  int64_t steps_;
  SequenceShape shape_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileRepeat(const Repeat& conf) {
  return std::make_unique<RepeatLayer>(conf);
}

}  // namespace dl::nn
