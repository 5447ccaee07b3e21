#include "nn/layers/recurrence.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dl::nn {

StatusOr<ParameterId> Recurrence::Claim(PlanBuilder& builder, std::string_view name,
                                        const std::vector<int64_t>& shape) {
  DL_ASSIGN_OR_RETURN(const ParameterId id,
                      builder.Parameter(name_, absl::StrCat(shape_.prefix, std::string(name))));
  const Layout plain = Layout::Plain(shape);
  DL_RETURN_IF_ERROR(builder.SetParameterLayout(id, plain, plain));
  return id;
}

StatusOr<std::vector<int64_t>> Recurrence::PlanRows(PlanBuilder& builder,
                                                    const std::vector<int64_t>& input) {
  examples_ = input[0] / steps();
  gate_values_ = builder.arena().Add(steps() * GateFloats());
  states_ = builder.arena().Add((steps() + 1) * StateFloats());
  DL_RETURN_IF_ERROR(PlanCell(builder));
  const bool all = shape_.gives == RecurrenceShape::Gives::kStates;
  return std::vector<int64_t>{all ? input[0] : examples_, units()};
}

Status Recurrence::PlanRowsGradient(PlanBuilder& builder) {
  for (const BufferId id : {gate_values_, states_}) builder.arena().Use(id);
  d_gates_ = builder.arena().Add(steps() * GateFloats());
  d_states_ = builder.arena().Add(steps() * StateFloats());
  return PlanCellGradient(builder);
}

Status Recurrence::BindRows(const PlanMemory& memory) {
  g_ = memory.Buffer(gate_values_);
  h_ = memory.Buffer(states_);
  dg_ = memory.Buffer(d_gates_);
  dh_ = memory.Buffer(d_states_);
  DL_RETURN_IF_ERROR(BindCell(memory));
  return has_gradient() ? BindCellGradient(memory) : absl::OkStatus();
}

Status Recurrence::ForwardRows() {
  ByStepsFromExamples(Rows(gates_ * units()), x(), g_);
  std::fill_n(h_, StateFloats(), 0.0f);
  for (int64_t t = 0; t < steps(); ++t) DL_RETURN_IF_ERROR(StepForward(t));
  if (shape_.gives == RecurrenceShape::Gives::kStates) {
    ByExamplesFromSteps(Rows(units()), State(1), y());
  } else {
    std::copy_n(State(steps()), StateFloats(), y());
  }
  return absl::OkStatus();
}

Status Recurrence::BackwardRows() {
  if (shape_.gives == RecurrenceShape::Gives::kStates) {
    ByStepsFromExamples(Rows(units()), dy(), dh_);
  } else {
    std::fill_n(dh_, (steps() - 1) * StateFloats(), 0.0f);
    std::copy_n(dy(), StateFloats(), DState(steps() - 1));
  }
  for (int64_t t = steps(); t-- > 0;) DL_RETURN_IF_ERROR(StepBackward(t));
  DL_RETURN_IF_ERROR(FinishBackward());
  ByExamplesFromSteps(Rows(gates_ * units()), dg_, dx());
  return absl::OkStatus();
}

}  // namespace dl::nn
