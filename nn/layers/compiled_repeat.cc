#include "nn/layers/compiled_repeat.h"

#include "nn/backend/parallel_for.h"
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
  void Compute(const float* x, float* y) const override {
    ForRows(shape_.examples, steps_ * shape_.n, [&](int64_t begin, int64_t end) {
      RepeatRows(shape_.Slice({begin, end}), x + begin * shape_.n, y + begin * steps_ * shape_.n);
    });
  }
  void ComputeGradient(const float* dy, float* dx) const override {
    ForRows(shape_.examples, steps_ * shape_.n, [&](int64_t begin, int64_t end) {
      SumOverSteps(shape_.Slice({begin, end}), dy + begin * steps_ * shape_.n,
                   dx + begin * shape_.n);
    });
  }

 private:
  int64_t steps_;
  SequenceShape shape_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileRepeat(const Repeat& conf) {
  return std::make_unique<RepeatLayer>(conf);
}

}  // namespace dl::nn
