#include "nn/layers/compiled_last_step.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/sequence_kernels.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class LastStepLayer : public PlainRowsLayer {
 public:
  LastStepLayer(int64_t steps, bool variable_length)
      : steps_(steps), variable_length_(variable_length) {}

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder&,
                                          const std::vector<int64_t>& input) override {
    shape_ = {.examples = input[0] / steps_, .steps = steps_, .n = input[1]};
    return std::vector<int64_t>{shape_.examples, shape_.n};
  }
  Status PlanRowsGradient(PlanBuilder&) override { return absl::OkStatus(); }
  Status BindRows(const PlanMemory& memory) override {
    shape_.lengths = variable_length_ ? memory.Lengths() : nullptr;
    return absl::OkStatus();
  }
  Status ForwardRows() override {
    ForRows(shape_.examples, shape_.n, [&](int64_t begin, int64_t end) {
      TakeLastStep(shape_.Slice({begin, end}), x() + begin * shape_.steps * shape_.n,
                   y() + begin * shape_.n);
    });
    return absl::OkStatus();
  }
  Status BackwardRows() override {
    ForRows(shape_.examples, shape_.steps * shape_.n, [&](int64_t begin, int64_t end) {
      TakeLastStepGradient(shape_.Slice({begin, end}), dy() + begin * shape_.n,
                           dx() + begin * shape_.steps * shape_.n);
    });
    return absl::OkStatus();
  }

 private:
  int64_t steps_;
  bool variable_length_;
  SequenceShape shape_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileLastStep(const InputType& input) {
  return std::make_unique<LastStepLayer>(input.Steps(), input.variable_length);
}

}  // namespace dl::nn
