#include "nn/layers/compiled_gru.h"

#include <algorithm>

#include "nn/backend/parallel_for.h"
#include "nn/conf/layers/gru.h"
#include "nn/kernels/gru_cell.h"

namespace dl::nn {
namespace {

using Result = MatrixProductGeometry::Result;

// Computes `cell` for each part of the examples. `cell` gets the shape of the part, and its first
// example.
template <typename Cell>
void ForExamples(const GruCellShape& shape, const Cell& cell) {
  ForRows(shape.examples, 2 * Gru::kGates * shape.units, [&](int64_t begin, int64_t end) {
    cell(GruCellShape{.examples = end - begin, .units = shape.units}, begin);
  });
}

class GruLayer : public Recurrence {
 public:
  GruLayer(std::string name, const RecurrenceShape& shape)
      : Recurrence(std::move(name), shape, Gru::kGates) {}

 protected:
  Status PlanCell(PlanBuilder& builder) override {
    cell_ = {.examples = examples(), .units = units()};
    const int64_t rows = Gru::kGates * units();
    DL_ASSIGN_OR_RETURN(weight_, Claim(builder, "recurrent_weight", {rows, units()}));
    DL_ASSIGN_OR_RETURN(bias_, Claim(builder, "recurrent_bias", {units()}));
    products_ = builder.arena().Add(steps() * GateFloats());
    return product_.Plan(builder, {.steps = steps(),
                                   .examples = examples(),
                                   .units = units(),
                                   .outputs = rows,
                                   .gradient = DFactorResult(),
                                   .stateful = stateful()});
  }

  Status PlanCellGradient(PlanBuilder& builder) override {
    builder.arena().Use(products_);
    d_products_ = builder.arena().Add(steps() * GateFloats());
    sums_ = builder.arena().Add<double>(units());
    return product_.PlanGradient(builder);
  }

  Status BindCell(const PlanMemory& memory) override {
    p_ = memory.Buffer(products_);
    b_ = memory.Parameter(bias_);
    const float* const weight = memory.Parameter(weight_);
    DL_ASSIGN_OR_RETURN(
        forward_,
        BindSteps(memory, product_.forward, Direction::kForward, FirstProduct(), [&](int64_t t) {
          return Factors{Factor(t), weight, p_ + t * GateFloats()};
        }));
    return absl::OkStatus();
  }

  Status BindCellGradient(const PlanMemory& memory) override {
    dp_ = memory.Buffer(d_products_);
    db_ = memory.Gradient(bias_);
    sums_values_ = memory.Buffer<double>(sums_);
    const float* const weight = memory.Parameter(weight_);
    DL_ASSIGN_OR_RETURN(back_,
                        BindSteps(memory, product_.back, Direction::kBackward, 1, [&](int64_t t) {
                          return Factors{dp_ + t * GateFloats(), weight, DFactor(t)};
                        }));
    return product_.weights.Bind(memory, dp_, Factor(0), memory.Gradient(weight_));
  }

  Status StepForward(int64_t t) override {
    if (t < FirstProduct()) {
      std::fill_n(p_, GateFloats(), 0.0f);  // the state before the first step is zero
    } else {
      DL_RETURN_IF_ERROR(forward_.Run(t - FirstProduct()));
    }
    ForExamples(cell_, [&](const GruCellShape& part, int64_t first) {
      const int64_t gates = first * Gru::kGates * units(), states = first * units();
      GruCellForward(part, {.gates = Gates(t) + gates,
                            .product = p_ + t * GateFloats() + gates,
                            .bias = b_,
                            .before = State(t) + states,
                            .state = State(t + 1) + states});
    });
    return absl::OkStatus();
  }

  Status StepBackward(int64_t t) override {
    ForExamples(cell_, [&](const GruCellShape& part, int64_t first) {
      const int64_t gates = first * Gru::kGates * units(), states = first * units();
      GruCellBackward(part, {.gates = Gates(t) + gates,
                             .product = p_ + t * GateFloats() + gates,
                             .bias = b_,
                             .before = State(t) + states,
                             .d_state = DState(t) + states,
                             .d_gates = DGates(t) + gates,
                             .d_product = dp_ + t * GateFloats() + gates,
                             .d_before = t > 0 ? DState(t - 1) + states : nullptr});
    });
    return t > 0 ? back_.Run(t - 1) : absl::OkStatus();
  }

  Status FinishBackward() override {
    const GruBiasShape shape{.rows = steps() * examples(), .units = units()};
    ForColumns(units(), shape.rows, [&](int64_t begin, int64_t end) {
      GruBiasGradient(shape, {begin, end}, dp_, sums_values_, db_);
    });
    return product_.weights.Run();
  }

 private:
  GruCellShape cell_;
  ParameterId weight_ = -1, bias_ = -1;
  BufferId products_ = kNoBuffer, d_products_ = kNoBuffer, sums_ = kNoBuffer;
  StateProduct product_;
  StepProducts forward_, back_;  // from step FirstProduct() on; from step 1 on
  float* p_ = nullptr;
  const float* b_ = nullptr;
  float *dp_ = nullptr, *db_ = nullptr;
  double* sums_values_ = nullptr;
};

// The first two thirds of the weights multiply the state, the last third multiplies the reset
// state.
class ResetGruLayer : public Recurrence {
 public:
  ResetGruLayer(std::string name, const RecurrenceShape& shape)
      : Recurrence(std::move(name), shape, Gru::kGates) {}

 protected:
  Status PlanCell(PlanBuilder& builder) override {
    cell_ = {.examples = examples(), .units = units()};
    DL_ASSIGN_OR_RETURN(weight_,
                        Claim(builder, "recurrent_weight", {Gru::kGates * units(), units()}));
    product_ = builder.arena().Add(2 * StateFloats());
    candidate_ = builder.arena().Add(StateFloats());
    reset_states_ = builder.arena().Add(steps() * StateFloats());
    const StateProduct::Shape shape{.steps = steps(),
                                    .examples = examples(),
                                    .units = units(),
                                    .outputs = 2 * units(),
                                    .gradient = DFactorResult(),
                                    .stateful = stateful()};
    DL_RETURN_IF_ERROR(of_gates_.Plan(builder, shape));
    StateProduct::Shape of_candidate = shape;
    of_candidate.outputs = units();
    of_candidate.gradient = Result::kSet;
    return of_candidate_.Plan(builder, of_candidate);
  }

  Status PlanCellGradient(PlanBuilder& builder) override {
    builder.arena().Use(reset_states_);
    d_products_ = builder.arena().Add(steps() * 2 * StateFloats());
    d_candidates_ = builder.arena().Add(steps() * StateFloats());
    d_reset_state_ = builder.arena().Add(StateFloats());
    DL_RETURN_IF_ERROR(of_gates_.PlanGradient(builder));
    return of_candidate_.PlanGradient(builder);
  }

  Status BindCell(const PlanMemory& memory) override {
    p_ = memory.Buffer(product_);
    n_ = memory.Buffer(candidate_);
    rh_ = memory.Buffer(reset_states_);
    const float* const weight = memory.Parameter(weight_);
    DL_ASSIGN_OR_RETURN(forward_gates_, BindSteps(memory, of_gates_.forward, Direction::kForward,
                                                  FirstProduct(), [&](int64_t t) {
                                                    return Factors{Factor(t), weight, p_};
                                                  }));
    DL_ASSIGN_OR_RETURN(
        forward_candidate_,
        BindSteps(memory, of_candidate_.forward, Direction::kForward, FirstProduct(),
                  [&](int64_t t) {
                    return Factors{rh_ + t * StateFloats(), weight + CandidateBegin(), n_};
                  }));
    return absl::OkStatus();
  }

  Status BindCellGradient(const PlanMemory& memory) override {
    dp_ = memory.Buffer(d_products_);
    dn_ = memory.Buffer(d_candidates_);
    drh_ = memory.Buffer(d_reset_state_);
    const float* const weight = memory.Parameter(weight_);
    DL_ASSIGN_OR_RETURN(back_gates_,
                        BindSteps(memory, of_gates_.back, Direction::kBackward, 1, [&](int64_t t) {
                          return Factors{dp_ + t * 2 * StateFloats(), weight, DFactor(t)};
                        }));
    DL_ASSIGN_OR_RETURN(
        back_candidate_,
        BindSteps(memory, of_candidate_.back, Direction::kBackward, FirstProduct(), [&](int64_t t) {
          return Factors{dn_ + t * StateFloats(), weight + CandidateBegin(), drh_};
        }));
    float* const gradient = memory.Gradient(weight_);
    DL_RETURN_IF_ERROR(of_gates_.weights.Bind(memory, dp_, Factor(0), gradient));
    return of_candidate_.weights.Bind(memory, dn_, rh_, gradient + CandidateBegin());
  }

  Status StepForward(int64_t t) override {
    const auto cell = [&](int64_t example) {
      const int64_t states = example * units();
      return GruResetCell{.gates = Gates(t) + Gru::kGates * states,
                          .product = p_ + 2 * states,
                          .candidate = n_ + states,
                          .before = State(t) + states,
                          .reset_state = rh_ + t * StateFloats() + states,
                          .state = State(t + 1) + states};
    };
    const int64_t first = FirstProduct();
    if (t < first) {  // the state before the first step is zero
      std::fill_n(p_, 2 * StateFloats(), 0.0f);
      std::fill_n(n_, StateFloats(), 0.0f);
    }
    if (t >= first) DL_RETURN_IF_ERROR(forward_gates_.Run(t - first));
    ForExamples(cell_, [&](const GruCellShape& part, int64_t example) {
      GruResetForward(part, cell(example));
    });
    Drop(rh_ + t * StateFloats());
    if (t >= first) DL_RETURN_IF_ERROR(forward_candidate_.Run(t - first));
    ForExamples(cell_, [&](const GruCellShape& part, int64_t example) {
      GruCandidateForward(part, cell(example));
    });
    return absl::OkStatus();
  }

  Status StepBackward(int64_t t) override {
    const auto cell = [&](int64_t example) {
      const int64_t states = example * units();
      return GruResetGradient{.gates = Gates(t) + Gru::kGates * states,
                              .before = State(t) + states,
                              .d_state = DState(t) + states,
                              .d_reset_state = drh_ + states,
                              .d_gates = DGates(t) + Gru::kGates * states,
                              .d_candidate = dn_ + t * StateFloats() + states,
                              .d_product = dp_ + t * 2 * StateFloats() + 2 * states,
                              .d_before = t > 0 ? DState(t - 1) + states : nullptr};
    };
    ForExamples(cell_, [&](const GruCellShape& part, int64_t example) {
      GruCandidateBackward(part, cell(example));
    });
    if (t < FirstProduct()) {
      std::fill_n(drh_, StateFloats(), 0.0f);  // its factor, the state, is zero
    } else {
      DL_RETURN_IF_ERROR(back_candidate_.Run(t - FirstProduct()));
      Drop(drh_);
    }
    ForExamples(cell_, [&](const GruCellShape& part, int64_t example) {
      GruResetBackward(part, cell(example));
    });
    return t > 0 ? back_gates_.Run(t - 1) : absl::OkStatus();
  }

  Status FinishBackward() override {
    DL_RETURN_IF_ERROR(of_gates_.weights.Run());
    return of_candidate_.weights.Run();
  }

 private:
  int64_t CandidateBegin() const { return 2 * units() * units(); }

  GruCellShape cell_;
  ParameterId weight_ = -1;
  BufferId product_ = kNoBuffer, candidate_ = kNoBuffer, reset_states_ = kNoBuffer;
  BufferId d_products_ = kNoBuffer, d_candidates_ = kNoBuffer, d_reset_state_ = kNoBuffer;
  StateProduct of_gates_, of_candidate_;
  // From step FirstProduct() on.
  StepProducts forward_gates_, forward_candidate_, back_candidate_;
  StepProducts back_gates_;  // from step 1 on
  float *p_ = nullptr, *n_ = nullptr, *rh_ = nullptr;
  float *dp_ = nullptr, *dn_ = nullptr, *drh_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileGru(std::string name, const RecurrenceShape& shape) {
  return std::make_unique<GruLayer>(std::move(name), shape);
}

std::unique_ptr<CompiledLayer> CompileResetGru(std::string name, const RecurrenceShape& shape) {
  return std::make_unique<ResetGruLayer>(std::move(name), shape);
}

}  // namespace dl::nn
