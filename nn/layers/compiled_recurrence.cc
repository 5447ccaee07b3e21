#include "nn/layers/compiled_recurrence.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "nn/backend/parallel_for.h"
#include "nn/conf/layers/dropout.h"
#include "nn/kernels/activations.h"
#include "nn/kernels/elementwise_kernels.h"

namespace dl::nn {

StatusOr<ParameterId> Recurrence::Claim(PlanBuilder& builder, std::string_view name,
                                        const std::vector<int64_t>& shape) {
  DL_ASSIGN_OR_RETURN(const ParameterId id,
                      builder.Parameter(name_, absl::StrCat(shape_.prefix, std::string(name))));
  const Layout plain = Layout::Plain(shape);
  DL_RETURN_IF_ERROR(builder.SetParameterLayout(id, plain, plain));
  return id;
}

Status Recurrence::PlanRemembered(PlanBuilder& builder, Remembered& remembered) {
  remembered.buffer = builder.arena().Add((steps() + 1) * StateFloats());
  if (stateful()) {
    DL_ASSIGN_OR_RETURN(remembered.id, builder.Carried(name_, remembered.name));
  }
  remembered_.push_back(&remembered);
  return absl::OkStatus();
}

void Recurrence::BindRemembered(const PlanMemory& memory, Remembered& remembered) const {
  remembered.values = memory.Buffer(remembered.buffer);
  remembered.carried = stateful() ? memory.Carried(remembered.id) : nullptr;
}

void Recurrence::DrawMask(const Pass& pass) {
  const RecurrenceShape::Dropout& dropout = shape_.dropout;
  const RandomStream stream(pass.KeyFor(dropout.purpose, dropout.layer_index));
  const uint32_t threshold = DropThreshold(dropout.probability);
  const auto scale = static_cast<float>(1.0 / (1.0 - dropout.probability));
  ForElements(StateFloats(), [&](int64_t begin, int64_t end) {
    DropoutMask(stream, threshold, scale, {begin, end}, m_);
  });
}

void Recurrence::Drop(float* state) const {
  if (!drops_) return;
  ForElements(StateFloats(), [&](int64_t begin, int64_t end) {
    MultiplyBy(m_ + begin, state + begin, end - begin);
  });
}

Status Recurrence::Forward(const Pass& pass) {
  if (drops_) DrawMask(pass);
  first_carried_ = pass.micro_batch.first * units();
  DL_RETURN_IF_ERROR(PlainRowsLayer::Forward(pass));
  if (pass.mode == Pass::Mode::kGradientOnly) return absl::OkStatus();
  for (const Remembered* remembered : remembered_) {
    if (remembered->carried == nullptr) continue;
    std::copy_n(remembered->values + steps() * StateFloats(), StateFloats(),
                remembered->carried + first_carried_);
  }
  return absl::OkStatus();
}

StatusOr<std::vector<int64_t>> Recurrence::PlanRows(PlanBuilder& builder,
                                                    const std::vector<int64_t>& input) {
  examples_ = input[0] / steps();
  gate_values_ = builder.arena().Add(steps() * GateFloats());
  remembered_.clear();
  DL_RETURN_IF_ERROR(PlanRemembered(builder, state_));
  drops_ = shape_.dropout.probability > 0 && builder.purpose() == Purpose::kTraining;
  if (drops_) {
    mask_ = builder.arena().Add(StateFloats());
    factor_values_ = builder.arena().Add(steps() * StateFloats());
  }
  DL_RETURN_IF_ERROR(PlanCell(builder));
  const bool all = shape_.result == RecurrenceShape::Result::kStates;
  return std::vector<int64_t>{all ? input[0] : examples_, units()};
}

Status Recurrence::PlanRowsGradient(PlanBuilder& builder) {
  builder.arena().Use(gate_values_);
  for (const Remembered* remembered : remembered_) builder.arena().Use(remembered->buffer);
  if (drops_) {
    builder.arena().Use(mask_);
    builder.arena().Use(factor_values_);
    d_factor_values_ = builder.arena().Add(StateFloats());
  }
  d_gates_ = builder.arena().Add(steps() * GateFloats());
  d_states_ = builder.arena().Add(steps() * StateFloats());
  return PlanCellGradient(builder);
}

Status Recurrence::BindRows(const PlanMemory& memory) {
  lengths_ = shape_.variable_length ? memory.Lengths() : nullptr;
  g_ = memory.Buffer(gate_values_);
  for (Remembered* remembered : remembered_) BindRemembered(memory, *remembered);
  m_ = memory.Buffer(mask_);
  factors_ = memory.Buffer(factor_values_);
  d_factor_ = memory.Buffer(d_factor_values_);
  dg_ = memory.Buffer(d_gates_);
  dh_ = memory.Buffer(d_states_);
  DL_RETURN_IF_ERROR(BindCell(memory));
  return has_gradient() ? BindCellGradient(memory) : absl::OkStatus();
}

void Recurrence::ToSteps(int64_t n, const float* by_examples, float* by_steps) const {
  ForRows(examples_, steps() * n, [&](int64_t begin, int64_t end) {
    ByStepsFromExamples(Rows(n), {begin, end}, by_examples, by_steps);
  });
}

void Recurrence::ToExamples(int64_t n, const float* by_steps, float* by_examples) const {
  ForRows(examples_, steps() * n, [&](int64_t begin, int64_t end) {
    ByExamplesFromSteps(Rows(n), {begin, end}, by_steps, by_examples);
  });
}

Status Recurrence::ForwardRows() {
  ToSteps(gates_ * units(), x(), g_);
  for (const Remembered* remembered : remembered_) {
    if (remembered->carried != nullptr) {
      std::copy_n(remembered->carried + first_carried_, StateFloats(), remembered->values);
    } else {
      std::fill_n(remembered->values, StateFloats(), 0.0f);
    }
  }
  for (int64_t t = 0; t < steps(); ++t) {
    if (drops_) {
      ForElements(StateFloats(), [&](int64_t begin, int64_t end) {
        ProductOf(m_ + begin, State(t) + begin, Factor(t) + begin, end - begin);
      });
    }
    DL_RETURN_IF_ERROR(StepForward(t));
    for (const Remembered* remembered : remembered_) {
      float* const before = remembered->values + t * StateFloats();
      KeepEnded(Rows(units()), t, before, before + StateFloats());
    }
  }
  if (shape_.result == RecurrenceShape::Result::kStates) {
    ToExamples(units(), State(1), y());
  } else {
    std::copy_n(State(steps()), StateFloats(), y());
  }
  return absl::OkStatus();
}

Status Recurrence::BackwardRows() {
  if (shape_.result == RecurrenceShape::Result::kStates) {
    ToSteps(units(), dy(), dh_);
  } else {
    GiveToLastStep(Rows(units()), dy(), dh_);
  }
  for (int64_t t = steps(); t-- > 0;) {
    DL_RETURN_IF_ERROR(StepBackward(t));
    if (!drops_ || t == 0) continue;
    Drop(d_factor_);
    ForElements(StateFloats(), [&](int64_t begin, int64_t end) {
      AddTo(DState(t - 1) + begin, d_factor_ + begin, end - begin);
    });
  }
  DL_RETURN_IF_ERROR(FinishBackward());
  if (dx() != nullptr) ToExamples(gates_ * units(), dg_, dx());
  return absl::OkStatus();
}

}  // namespace dl::nn
