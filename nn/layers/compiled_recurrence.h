// Base of recurrent layers (nn/conf/layers/recurrent.h) in one direction, without W x[t] + b. A
// dense layer before it computes this product for all steps. The result is the input of the layer
// here: rows of gates [rows, gates * units]. The output has rows of states [rows, units], or the
// last state of each example. Each kind of cell has its own file.
#pragma once

#include <string>
#include <vector>

#include "base/philox.h"
#include "nn/kernels/sequence_kernels.h"
#include "nn/layers/plain_rows_layer.h"
#include "nn/layers/planned_product.h"

namespace dl::nn {

struct RecurrenceShape {
  enum class Result : uint8_t { kStates, kLastState };

  std::string prefix = {};  // of the names of its parameters
  int64_t steps = 0, units = 0;
  StepOrder order = StepOrder::kForward;
  Result result = Result::kStates;  // state of each step, or the last state of each example
  bool stateful = false;            // begins with the final state of the previous minibatch
  bool variable_length = false;
  // Describes recurrent_dropout, whose mask is the same for all steps of a pass. `purpose` and
  // `layer_index`, the layer's index in the model, are coordinates of its random numbers.
  struct Dropout {
    double probability = 0;
    RandomPurpose purpose = RandomPurpose::kRecurrentDropout;
    int64_t layer_index = 0;
  };
  Dropout dropout = {};
};

// Internally rows are ordered by step, in the order of computation: the rows of one step are
// contiguous, and step 0 is the first step of the direction. The states have an additional place
// for the state before step 0, which is zero or the carried state. No gradient with respect to that
// state is computed. After an example's last step its state stays the same, whatever is computed
// from the padding.
class Recurrence : public PlainRowsLayer {
 public:
  Recurrence(std::string name, const RecurrenceShape& shape, int64_t gates)
      : name_(std::move(name)), shape_(shape), gates_(gates) {}
  bool HasParameters() const final { return true; }
  Status Forward(const Pass& pass) final;

 protected:
  // Plan and bind the buffers of the cell. PlanCellGradient and BindCellGradient are called only if
  // the layer has a backward step.
  virtual Status PlanCell(PlanBuilder& builder) = 0;
  virtual Status PlanCellGradient(PlanBuilder& builder) = 0;
  virtual Status BindCell(const PlanMemory& memory) = 0;
  virtual Status BindCellGradient(const PlanMemory& memory) = 0;
  // Computes State(t + 1) from Gates(t) and State(t). The cell may overwrite Gates(t).
  virtual Status StepForward(int64_t t) = 0;
  // Computes DGates(t) from DState(t), the gradient with respect to State(t + 1). For t > 0, also
  // passes the gradient on to State(t): the product with the recurrent weights writes its part to
  // DFactor(t), and the cell adds any other part to DState(t - 1). Called for the last step first.
  virtual Status StepBackward(int64_t t) = 0;
  // Computes the gradients of the recurrent parameters, for all steps at once.
  virtual Status FinishBackward() = 0;

  // Values [steps + 1, examples, units]. The first entry is the state before step 0: zeros, or what
  // a stateful layer carried as "<layer>.<name>".
  struct Remembered {
    std::string_view name;
    BufferId buffer = kNoBuffer;
    CarriedId id = -1;
    float* values = nullptr;
    float* carried = nullptr;  // null unless the layer is stateful
  };
  // REQUIRES: the address of `remembered` does not change.
  Status PlanRemembered(PlanBuilder& builder, Remembered& remembered);

  bool stateful() const { return shape_.stateful; }
  // The first step that needs a product with the state. Without a carried state, the state before
  // step 0 is zero and needs none.
  int64_t FirstProduct() const { return shape_.stateful ? 0 : 1; }

  int64_t steps() const { return shape_.steps; }
  int64_t units() const { return shape_.units; }
  int64_t examples() const { return examples_; }
  int64_t GateFloats() const { return examples_ * gates_ * shape_.units; }  // of one step
  int64_t StateFloats() const { return examples_ * shape_.units; }
  float* Gates(int64_t t) const { return g_ + t * GateFloats(); }
  float* DGates(int64_t t) const { return dg_ + t * GateFloats(); }
  float* State(int64_t t) const { return state_.values + t * StateFloats(); }
  float* DState(int64_t t) const { return dh_ + t * StateFloats(); }
  // The operand of the recurrent weights at step t: State(t), with dropout multiplied by the mask.
  // The operands of successive steps are contiguous.
  float* Factor(int64_t t) const { return drops_ ? factors_ + t * StateFloats() : State(t); }
  // Destination of the gradient with respect to Factor(t), which one product writes. Without
  // dropout the product adds to DState(t - 1), with dropout it sets the result. REQUIRES: t > 0.
  float* DFactor(int64_t t) const { return drops_ ? d_factor_ : DState(t - 1); }
  MatrixProductGeometry::Result DFactorResult() const {
    return drops_ ? MatrixProductGeometry::Result::kSet : MatrixProductGeometry::Result::kAdd;
  }
  // Multiplies the values of one step, [examples, units], by the mask. Does nothing without
  // dropout.
  void Drop(float* state) const;

  // Claims "recurrent_weight" or another parameter of this direction.
  StatusOr<ParameterId> Claim(PlanBuilder& builder, std::string_view name,
                              const std::vector<int64_t>& shape);

  // The matrices of one step's product.
  struct Factors {
    const float *a, *b;
    float* c;
  };
  // The products of all steps with one matrix of weights, which may be packed.
  class StepProducts {
   public:
    // Runs product i. REQUIRES: a pass over the steps begins with the first product, or with the
    // last one if it is the backward pass.
    Status Run(int64_t i) {
      if (i == begin_ && !packing_.empty()) DL_RETURN_IF_ERROR(packing_.Run());
      return products_[i].Run();
    }

   private:
    friend class Recurrence;

    BoundPrimitive packing_;
    std::vector<BoundProduct> products_;
    int64_t begin_ = 0;  // the product that begins a pass
  };
  enum class Direction : uint8_t { kForward, kBackward };
  // Binds the product for each step from `first` on. `direction` is the order in which a pass runs
  // them. `factors_of(t)` returns the matrices of step t. `b`, the weights, must be the same for
  // all steps. Entry i of the result is the product of step first + i.
  template <typename FactorsOf>
  StatusOr<StepProducts> BindSteps(const PlanMemory& memory, const PlannedProduct& product,
                                   Direction direction, int64_t first, FactorsOf factors_of) const {
    StepProducts bound;
    for (int64_t t = first; t < steps(); ++t) {
      const Factors factors = factors_of(t);
      if (t == first) {
        DL_ASSIGN_OR_RETURN(bound.packing_, product.BindPacking(memory, factors.b));
      }
      DL_ASSIGN_OR_RETURN(BoundProduct step,
                          product.BindTo(memory, factors.a, factors.b, factors.c));
      bound.products_.push_back(std::move(step));
    }
    if (direction == Direction::kBackward) bound.begin_ = steps() - first - 1;
    return bound;
  }

 private:
  void BindRemembered(const PlanMemory& memory, Remembered& remembered) const;
  void DrawMask(const Pass& pass);
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                          const std::vector<int64_t>& input) final;
  Status PlanRowsGradient(PlanBuilder& builder) final;
  Status BindRows(const PlanMemory& memory) final;
  Status ForwardRows() final;
  Status BackwardRows() final;
  SequenceShape Rows(int64_t n) const {
    return {.examples = examples_,
            .steps = shape_.steps,
            .n = n,
            .order = shape_.order,
            .lengths = lengths_};
  }

  // Copy rows of n values from the order by example to the order by step, and back.
  void ToSteps(int64_t n, const float* by_examples, float* by_steps) const;
  void ToExamples(int64_t n, const float* by_steps, float* by_examples) const;

  std::string name_;
  RecurrenceShape shape_;
  int64_t gates_, examples_ = 0;
  int64_t first_carried_ = 0;  // first row of the current micro-batch in the carried states
  BufferId gate_values_ = kNoBuffer;
  Remembered state_{.name = "state"};
  std::vector<Remembered*> remembered_;
  bool drops_ = false;
  BufferId mask_ = kNoBuffer, factor_values_ = kNoBuffer, d_factor_values_ = kNoBuffer;
  BufferId d_gates_ = kNoBuffer, d_states_ = kNoBuffer;
  float* g_ = nullptr;
  float *m_ = nullptr, *factors_ = nullptr, *d_factor_ = nullptr;
  float *dg_ = nullptr, *dh_ = nullptr;
  const int32_t* lengths_ = nullptr;
};

// The product of the state with one matrix [outputs, units], and its gradients. Most cells use it
// once for all gates, with gates * units outputs. `forward` computes the product of one step, and
// `back` its gradient with respect to the state. Both are not planned if no step has a product: for
// a single step without a carried state. `weights` computes the gradient with respect to the
// matrix, for all steps at once.
class StateProduct {
 public:
  struct Shape {
    int64_t steps = 0, examples = 0, units = 0, outputs = 0;
    // How the product, and the gradient with respect to the state, are written.
    MatrixProductGeometry::Result result = MatrixProductGeometry::Result::kSet;
    MatrixProductGeometry::Result gradient = MatrixProductGeometry::Result::kAdd;
    bool stateful = false;  // a carried state exists before the first step
  };
  Status Plan(PlanBuilder& builder, const Shape& shape) {
    shape_ = shape;
    if (!HasProducts()) return absl::OkStatus();
    return forward.Plan(builder, {.rows = shape.examples,
                                  .inner = shape.units,
                                  .columns = shape.outputs,
                                  .b = MatrixProductGeometry::Storage::kTransposed,
                                  .result = shape.result,
                                  .packs_b = HasManyProducts()});
  }
  Status PlanGradient(PlanBuilder& builder) {
    if (HasProducts()) {
      DL_RETURN_IF_ERROR(back.Plan(builder, {.rows = shape_.examples,
                                             .inner = shape_.outputs,
                                             .columns = shape_.units,
                                             .result = shape_.gradient,
                                             .packs_b = HasManyProducts() && IsLarge()}));
    }
    return weights.Plan(builder, {.rows = shape_.outputs,
                                  .inner = shape_.steps * shape_.examples,
                                  .columns = shape_.units,
                                  .a = MatrixProductGeometry::Storage::kTransposed});
  }

  PlannedProduct forward, back, weights;

 private:
  bool HasProducts() const { return shape_.steps > 1 || shape_.stateful; }
  // Packing takes as long as it saves in about 10 products.
  bool HasManyProducts() const { return shape_.steps > 16; }
  // A matrix that is read as it is stored, and that fits in a cache of 2 MiB, is as fast without
  // packing.
  bool IsLarge() const { return shape_.outputs * shape_.units > int64_t{1} << 19; }

  Shape shape_;
};

}  // namespace dl::nn
