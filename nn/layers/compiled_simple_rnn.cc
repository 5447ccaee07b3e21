#include "nn/layers/compiled_simple_rnn.h"

#include "nn/backend/parallel_for.h"
#include "nn/layers/activation_kernels.h"

namespace dl::nn {
namespace {

// The gates are the arguments of the activation.
class SimpleRnnLayer : public Recurrence {
 public:
  SimpleRnnLayer(std::string name, const RecurrenceShape& shape, const ActivationConf& activation)
      : Recurrence(std::move(name), shape, /*gates=*/1),
        activation_(activation),
        traits_(TraitsOf(activation)) {}

 protected:
  Status PlanCell(PlanBuilder& builder) override {
    DL_ASSIGN_OR_RETURN(weight_, Claim(builder, "recurrent_weight", {units(), units()}));
    return product_.Plan(builder, {.steps = steps(),
                                   .examples = examples(),
                                   .units = units(),
                                   .outputs = units(),
                                   .result = MatrixProductGeometry::Result::kAdd,
                                   .gradient = DFactorResult(),
                                   .stateful = stateful()});
  }

  Status PlanCellGradient(PlanBuilder& builder) override { return product_.PlanGradient(builder); }

  Status BindCell(const PlanMemory& memory) override {
    const float* const weight = memory.Parameter(weight_);
    DL_ASSIGN_OR_RETURN(forward_, BindSteps(memory, product_.forward, Direction::kForward,
                                            FirstProduct(), [&](int64_t t) {
                                              return Factors{Factor(t), weight, Gates(t)};
                                            }));
    return absl::OkStatus();
  }

  Status BindCellGradient(const PlanMemory& memory) override {
    const float* const weight = memory.Parameter(weight_);
    DL_ASSIGN_OR_RETURN(back_,
                        BindSteps(memory, product_.back, Direction::kBackward, 1, [&](int64_t t) {
                          return Factors{DGates(t), weight, DFactor(t)};
                        }));
    return product_.weights.Bind(memory, DGates(0), Factor(0), memory.Gradient(weight_));
  }

  Status StepForward(int64_t t) override {
    if (t >= FirstProduct()) DL_RETURN_IF_ERROR(forward_.Run(t - FirstProduct()));
    CopyFloats(Gates(t), StateFloats(), State(t + 1));
    Activate(activation_, State(t + 1), Rows());
    return absl::OkStatus();
  }

  Status StepBackward(int64_t t) override {
    CopyFloats(DState(t), StateFloats(), DGates(t));
    Derive(activation_, traits_.needs_input ? Gates(t) : State(t + 1), DGates(t), Rows());
    return t > 0 ? back_.Run(t - 1) : absl::OkStatus();
  }

  Status FinishBackward() override { return product_.weights.Run(); }

 private:
  ActivationRows Rows() const { return {.floats = StateFloats(), .rows = examples()}; }

  ActivationConf activation_;
  ActivationTraits traits_;
  ParameterId weight_ = -1;
  StateProduct product_;
  StepProducts forward_, back_;  // from step FirstProduct() on; from step 1 on
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileSimpleRnn(std::string name, const RecurrenceShape& shape,
                                                const ActivationConf& activation) {
  return std::make_unique<SimpleRnnLayer>(std::move(name), shape, activation);
}

}  // namespace dl::nn
