#include "nn/layers/recurrence.h"

#include <algorithm>

#include "nn/backend/matrix_product.h"
#include "nn/kernels/lstm_cell.h"
#include "nn/kernels/sequences.h"
#include "nn/layers/conversion.h"
#include "nn/layers/planned_product.h"

namespace dl::nn {
namespace {

using Lies = MatrixProductGeometry::Lies;

// Within, rows lie by steps: what is computed at once is one piece of memory. Cells and states have
// a place for the zeros before the first step.
class RecurrenceLayer : public UnaryLayer {
 public:
  RecurrenceLayer(std::string name, const RecurrenceShape& shape)
      : name_(std::move(name)), steps_(shape.steps), units_(shape.units) {
    cell_.units = units_;
    cell_.forget_bias = static_cast<float>(shape.forget_bias);
  }

  bool HasParameters() const override { return true; }

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    const std::vector<int64_t> dims = input.layout.dims();
    examples_ = dims[0] / steps_;
    cell_.examples = examples_;
    DL_ASSIGN_OR_RETURN(weight_, builder.Parameter(name_, "recurrent_weight"));
    const Layout square = Layout::Plain(std::vector<int64_t>{4 * units_, units_});
    DL_RETURN_IF_ERROR(builder.SetParameterLayout(weight_, square, square));
    DL_ASSIGN_OR_RETURN(input_, to_plain_.Plan(builder, input, Layout::Plain(dims)));
    ArenaPlan& arena = builder.arena();
    gates_ = arena.Add(steps_ * GateFloats());
    cells_ = arena.Add((steps_ + 1) * StateFloats());
    states_ = arena.Add((steps_ + 1) * StateFloats());
    squashed_ = arena.Add(steps_ * StateFloats());
    if (steps_ > 1) {
      DL_RETURN_IF_ERROR(product_.Plan(builder, {.rows = examples_,
                                                 .inner = units_,
                                                 .columns = 4 * units_,
                                                 .b = Lies::kTransposed,
                                                 .result = MatrixProductGeometry::Result::kAdd}));
    }
    output_.layout = Layout::Plain(std::vector<int64_t>{dims[0], units_});
    output_.buffer = arena.Add(output_.layout.storage_floats());
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    ArenaPlan& arena = builder.arena();
    for (const BufferId id : {gates_, cells_, states_, squashed_}) arena.Use(id);
    DL_ASSIGN_OR_RETURN(gradient_, to_plain_gradient_.Plan(builder, gradient, output_.layout));
    d_gates_ = arena.Add(steps_ * GateFloats());
    d_states_ = arena.Add(steps_ * StateFloats());
    d_cell_ = arena.Add(StateFloats());
    if (steps_ > 1) {
      // What a step's gates give back to the state before them, on top of what its readers gave.
      DL_RETURN_IF_ERROR(
          state_product_.Plan(builder, {.rows = examples_,
                                        .inner = 4 * units_,
                                        .columns = units_,
                                        .result = MatrixProductGeometry::Result::kAdd}));
    }
    DL_RETURN_IF_ERROR(weight_product_.Plan(builder, {.rows = 4 * units_,
                                                      .inner = steps_ * examples_,
                                                      .columns = units_,
                                                      .a = Lies::kTransposed}));
    diff_input_ = {.layout = input_.layout, .buffer = arena.Add(input_.layout.storage_floats())};
    return diff_input_;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_plain_.Bind(memory));
    DL_RETURN_IF_ERROR(to_plain_gradient_.Bind(memory));
    x_ = memory.Buffer(input_.buffer);
    y_ = memory.Buffer(output_.buffer);
    g_ = memory.Buffer(gates_);
    c_ = memory.Buffer(cells_);
    h_ = memory.Buffer(states_);
    t_ = memory.Buffer(squashed_);
    const float* const weight = memory.Parameter(weight_);
    steps_forward_.clear();
    for (int64_t t = 1; t < steps_; ++t) {
      DL_ASSIGN_OR_RETURN(BoundPrimitive step, product_.BindTo(memory, h_ + t * StateFloats(),
                                                               weight, g_ + t * GateFloats()));
      steps_forward_.push_back(std::move(step));
    }
    if (gradient_.empty()) return absl::OkStatus();
    dx_ = memory.Buffer(diff_input_.buffer);
    dy_ = memory.Buffer(gradient_.buffer);
    dg_ = memory.Buffer(d_gates_);
    dh_ = memory.Buffer(d_states_);
    dc_ = memory.Buffer(d_cell_);
    steps_back_.clear();
    for (int64_t t = 1; t < steps_; ++t) {
      DL_ASSIGN_OR_RETURN(BoundPrimitive step,
                          state_product_.BindTo(memory, dg_ + t * GateFloats(), weight,
                                                dh_ + (t - 1) * StateFloats()));
      steps_back_.push_back(std::move(step));
    }
    return weight_product_.Bind(memory, dg_, h_, memory.Gradient(weight_));
  }

  Status Forward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_.Run());
    ByStepsFromExamples(Rows(4 * units_), x_, g_);
    std::fill_n(c_, StateFloats(), 0.0f);
    std::fill_n(h_, StateFloats(), 0.0f);
    for (int64_t t = 0; t < steps_; ++t) {
      if (t > 0) DL_RETURN_IF_ERROR(steps_forward_[t - 1].Run());
      LstmCellForward(cell_, {.gates = g_ + t * GateFloats(),
                              .cell_before = c_ + t * StateFloats(),
                              .cell = c_ + (t + 1) * StateFloats(),
                              .cell_tanh = t_ + t * StateFloats(),
                              .state = h_ + (t + 1) * StateFloats()});
    }
    ByExamplesFromSteps(Rows(units_), h_ + StateFloats(), y_);
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_gradient_.Run());
    ByStepsFromExamples(Rows(units_), dy_, dh_);
    std::fill_n(dc_, StateFloats(), 0.0f);
    for (int64_t t = steps_; t-- > 0;) {
      LstmCellBackward(cell_, {.gates = g_ + t * GateFloats(),
                               .cell_before = c_ + t * StateFloats(),
                               .cell_tanh = t_ + t * StateFloats(),
                               .d_state = dh_ + t * StateFloats(),
                               .d_cell = dc_,
                               .d_gates = dg_ + t * GateFloats()});
      if (t > 0) DL_RETURN_IF_ERROR(steps_back_[t - 1].Run());
    }
    DL_RETURN_IF_ERROR(weight_product_.Run());
    ByExamplesFromSteps(Rows(4 * units_), dg_, dx_);
    return absl::OkStatus();
  }

 private:
  int64_t GateFloats() const { return examples_ * 4 * units_; }
  int64_t StateFloats() const { return examples_ * units_; }
  SequenceShape Rows(int64_t n) const { return {.examples = examples_, .steps = steps_, .n = n}; }

  std::string name_;
  int64_t steps_, units_, examples_ = 0;
  LstmCellShape cell_;
  Conversion to_plain_, to_plain_gradient_;
  Tensor input_, output_, gradient_, diff_input_;
  ParameterId weight_ = -1;
  BufferId gates_ = kNoBuffer, cells_ = kNoBuffer, states_ = kNoBuffer, squashed_ = kNoBuffer;
  BufferId d_gates_ = kNoBuffer, d_states_ = kNoBuffer, d_cell_ = kNoBuffer;
  PlannedProduct product_, state_product_, weight_product_;
  std::vector<BoundPrimitive> steps_forward_, steps_back_;  // of the second step and all behind it
  const float* x_ = nullptr;
  float* y_ = nullptr;
  float *g_ = nullptr, *c_ = nullptr, *h_ = nullptr, *t_ = nullptr;
  float* dx_ = nullptr;
  const float* dy_ = nullptr;
  float *dg_ = nullptr, *dh_ = nullptr, *dc_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileRecurrence(std::string name, const RecurrenceShape& shape) {
  return std::make_unique<RecurrenceLayer>(std::move(name), shape);
}

}  // namespace dl::nn
