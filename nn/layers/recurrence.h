// What recurrent layers (nn/conf/layers/recurrent.h) compute in one direction behind the product
// with their inputs: rows of gates [rows, gates units] to rows of states [rows, units], or to the
// last state of each example. What a cell is made of is another file's.
#pragma once

#include <string>
#include <vector>

#include "base/philox.h"
#include "nn/kernels/sequences.h"
#include "nn/layers/plain_rows_layer.h"
#include "nn/layers/planned_product.h"

namespace dl::nn {

struct RecurrenceShape {
  enum class Gives : uint8_t { kStates, kLastState };

  std::string prefix = {};  // of the names of its parameters
  int64_t steps = 0, units = 0;
  StepOrder order = StepOrder::kForward;
  Gives gives = Gives::kStates;
  bool stateful = false;  // begins with what the minibatch before ended with
  bool variable_length = false;
  // Of recurrent_dropout: its numbers are of this purpose, and of the layer with this place in the
  // model.
  struct Dropout {
    double probability = 0;
    RandomPurpose purpose = RandomPurpose::kRecurrentDropout;
    int64_t layer_index = 0;
  };
  Dropout dropout = {};
};

// Within, rows lie by steps, in the order in which they are computed: what is computed at once is
// one piece of memory, and step 0 is where a direction begins. States have a place for what is
// before it: zeros, or what was carried, by which no gradient is taken. An example whose steps are
// over keeps its states as they are, whatever is computed of the padding.
class Recurrence : public PlainRowsLayer {
 public:
  Recurrence(std::string name, const RecurrenceShape& shape, int64_t gates)
      : name_(std::move(name)), shape_(shape), gates_(gates) {}
  bool HasParameters() const final { return true; }
  Status Forward(const Pass& pass) final;

 protected:
  // The cell's own, forward and back; its gradient's memory is bound where there is one.
  virtual Status PlanCell(PlanBuilder& builder) = 0;
  virtual Status PlanCellGradient(PlanBuilder& builder) = 0;
  virtual Status BindCell(const PlanMemory& memory) = 0;
  virtual Status BindCellGradient(const PlanMemory& memory) = 0;
  // From Gates(t) and State(t) to State(t + 1). What the gates become is the cell's.
  virtual Status StepForward(int64_t t) = 0;
  // From DState(t), of what step t gave, to DGates(t), and adds to DState(t - 1), of what products
  // read by way of DFactor(t). From the last step on.
  virtual Status StepBackward(int64_t t) = 0;
  // Of all steps at once: the gradients of the recurrent parameters.
  virtual Status FinishBackward() = 0;

  // Values [steps + 1, examples, units], the first of which are before step 0: zeros, or what a
  // stateful layer carried as "<layer>.<name>".
  struct Remembered {
    std::string_view name;
    BufferId buffer = kNoBuffer;
    CarriedId id = -1;
    float* values = nullptr;
    float* carried = nullptr;  // of stateful layers
  };
  // REQUIRES: `remembered` stays where it is.
  Status PlanRemembered(PlanBuilder& builder, Remembered& remembered);

  bool stateful() const { return shape_.stateful; }
  // The first step that multiplies a state which may be other than zeros.
  int64_t FirstProduct() const { return shape_.stateful ? 0 : 1; }

  int64_t steps() const { return shape_.steps; }
  int64_t units() const { return shape_.units; }
  int64_t examples() const { return examples_; }
  int64_t GateFloats() const { return examples_ * gates_ * shape_.units; }  // of a step
  int64_t StateFloats() const { return examples_ * shape_.units; }
  float* Gates(int64_t t) const { return g_ + t * GateFloats(); }
  float* DGates(int64_t t) const { return dg_ + t * GateFloats(); }
  float* State(int64_t t) const { return state_.values + t * StateFloats(); }
  float* DState(int64_t t) const { return dh_ + t * StateFloats(); }
  // What recurrent weights multiply at step t: State(t), with dropout times the mask. One behind
  // the other.
  float* Factor(int64_t t) const { return drops_ ? factors_ + t * StateFloats() : State(t); }
  // Where the gradient by it goes, in one product: added to DState(t - 1), with dropout set.
  // REQUIRES: t > 0.
  float* DFactor(int64_t t) const { return drops_ ? d_factor_ : DState(t - 1); }
  MatrixProductGeometry::Result DFactorResult() const {
    return drops_ ? MatrixProductGeometry::Result::kSet : MatrixProductGeometry::Result::kAdd;
  }
  // Of one step, [examples, units], times the mask; without dropout as it is.
  void Drop(float* state) const;

  // "recurrent_weight", or another parameter of this direction.
  StatusOr<ParameterId> Claim(PlanBuilder& builder, std::string_view name,
                              const std::vector<int64_t>& shape);

  // A product of each step from `first` on.
  struct Factors {
    const float *a, *b;
    float* c;
  };
  template <typename Of>
  StatusOr<std::vector<BoundPrimitive>> BindSteps(const PlanMemory& memory,
                                                  const PlannedProduct& product, int64_t first,
                                                  Of of) const {
    std::vector<BoundPrimitive> bound;
    for (int64_t t = first; t < steps(); ++t) {
      const Factors factors = of(t);
      DL_ASSIGN_OR_RETURN(BoundPrimitive step,
                          product.BindTo(memory, factors.a, factors.b, factors.c));
      bound.push_back(std::move(step));
    }
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

  std::string name_;
  RecurrenceShape shape_;
  int64_t gates_, examples_ = 0;
  int64_t first_carried_ = 0;  // of the present micro-batch, in what is carried
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

// The product of the state with one matrix [gates units, units] for all gates, which most cells
// have, and its gradients.
class StateProduct {
 public:
  struct Shape {
    int64_t steps = 0, examples = 0, units = 0, outputs = 0;
    MatrixProductGeometry::Result result = MatrixProductGeometry::Result::kSet;
    // Of the gradient by what it reads.
    MatrixProductGeometry::Result gradient = MatrixProductGeometry::Result::kAdd;
    bool stateful = false;  // there is a state before the first step
  };
  Status Plan(PlanBuilder& builder, const Shape& shape) {
    shape_ = shape;
    if (!HasProducts()) return absl::OkStatus();
    return forward.Plan(builder, {.rows = shape.examples,
                                  .inner = shape.units,
                                  .columns = shape.outputs,
                                  .b = MatrixProductGeometry::Lies::kTransposed,
                                  .result = shape.result});
  }
  Status PlanGradient(PlanBuilder& builder) {
    if (HasProducts()) {
      DL_RETURN_IF_ERROR(back.Plan(builder, {.rows = shape_.examples,
                                             .inner = shape_.outputs,
                                             .columns = shape_.units,
                                             .result = shape_.gradient}));
    }
    return weights.Plan(builder, {.rows = shape_.outputs,
                                  .inner = shape_.steps * shape_.examples,
                                  .columns = shape_.units,
                                  .a = MatrixProductGeometry::Lies::kTransposed});
  }

  PlannedProduct forward, back, weights;

 private:
  bool HasProducts() const { return shape_.steps > 1 || shape_.stateful; }

  Shape shape_;
};

}  // namespace dl::nn
