#include "nn/layers/compiled_lstm.h"

#include <algorithm>

#include "nn/backend/parallel_for.h"
#include "nn/conf/layers/lstm.h"
#include "nn/kernels/lstm_cell.h"

namespace dl::nn {
namespace {

class LstmLayer : public Recurrence {
 public:
  LstmLayer(std::string name, const RecurrenceShape& shape, double forget_bias)
      : Recurrence(std::move(name), shape, Lstm::kGates) {
    cell_.units = shape.units;
    cell_.forget_bias = static_cast<float>(forget_bias);
  }

 protected:
  Status PlanCell(PlanBuilder& builder) override {
    cell_.examples = examples();
    const int64_t rows = Lstm::kGates * units();
    DL_ASSIGN_OR_RETURN(weight_, Claim(builder, "recurrent_weight", {rows, units()}));
    DL_RETURN_IF_ERROR(PlanRemembered(builder, cells_));
    squashed_ = builder.arena().Add(steps() * StateFloats());
    return product_.Plan(builder, {.steps = steps(),
                                   .examples = examples(),
                                   .units = units(),
                                   .outputs = rows,
                                   .result = MatrixProductGeometry::Result::kAdd,
                                   .gradient = DFactorResult(),
                                   .stateful = stateful()});
  }

  Status PlanCellGradient(PlanBuilder& builder) override {
    builder.arena().Use(squashed_);
    d_cell_ = builder.arena().Add(StateFloats());
    return product_.PlanGradient(builder);
  }

  Status BindCell(const PlanMemory& memory) override {
    t_ = memory.Buffer(squashed_);
    const float* const weight = memory.Parameter(weight_);
    DL_ASSIGN_OR_RETURN(forward_, BindSteps(memory, product_.forward, Direction::kForward,
                                            FirstProduct(), [&](int64_t t) {
                                              return Factors{Factor(t), weight, Gates(t)};
                                            }));
    return absl::OkStatus();
  }

  Status BindCellGradient(const PlanMemory& memory) override {
    dc_ = memory.Buffer(d_cell_);
    const float* const weight = memory.Parameter(weight_);
    // These products add the gradient that a step's gates pass back to the state before the step.
    DL_ASSIGN_OR_RETURN(back_,
                        BindSteps(memory, product_.back, Direction::kBackward, 1, [&](int64_t t) {
                          return Factors{DGates(t), weight, DFactor(t)};
                        }));
    return product_.weights.Bind(memory, DGates(0), Factor(0), memory.Gradient(weight_));
  }

  Status StepForward(int64_t t) override {
    if (t >= FirstProduct()) DL_RETURN_IF_ERROR(forward_.Run(t - FirstProduct()));
    ForExamples([&](const LstmCellShape& part, int64_t first) {
      const int64_t states = first * units();
      LstmCellForward(part, {.gates = Gates(t) + Lstm::kGates * states,
                             .cell_before = Cell(t) + states,
                             .cell = Cell(t + 1) + states,
                             .cell_tanh = t_ + t * StateFloats() + states,
                             .state = State(t + 1) + states});
    });
    return absl::OkStatus();
  }

  Status StepBackward(int64_t t) override {
    if (t + 1 == steps()) std::fill_n(dc_, StateFloats(), 0.0f);
    ForExamples([&](const LstmCellShape& part, int64_t first) {
      const int64_t states = first * units();
      LstmCellBackward(part, {.gates = Gates(t) + Lstm::kGates * states,
                              .cell_before = Cell(t) + states,
                              .cell_tanh = t_ + t * StateFloats() + states,
                              .d_state = DState(t) + states,
                              .d_cell = dc_ + states,
                              .d_gates = DGates(t) + Lstm::kGates * states});
    });
    return t > 0 ? back_.Run(t - 1) : absl::OkStatus();
  }

  Status FinishBackward() override { return product_.weights.Run(); }

 private:
  float* Cell(int64_t t) const { return cells_.values + t * StateFloats(); }
  // Calls `cell` for each part of the examples, with the shape of the part and its first example.
  template <typename CellOf>
  void ForExamples(const CellOf& cell) const {
    ForRows(examples(), 2 * Lstm::kGates * units(), [&](int64_t begin, int64_t end) {
      LstmCellShape part = cell_;
      part.examples = end - begin;
      cell(part, begin);
    });
  }

  LstmCellShape cell_;
  ParameterId weight_ = -1;
  Remembered cells_{.name = "cell"};
  BufferId squashed_ = kNoBuffer, d_cell_ = kNoBuffer;
  StateProduct product_;
  StepProducts forward_, back_;  // from step FirstProduct() on; from step 1 on
  float* t_ = nullptr;
  float* dc_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileLstm(std::string name, const RecurrenceShape& shape,
                                           double forget_bias) {
  return std::make_unique<LstmLayer>(std::move(name), shape, forget_bias);
}

}  // namespace dl::nn
