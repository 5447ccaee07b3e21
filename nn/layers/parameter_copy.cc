#include "nn/layers/parameter_copy.h"

namespace dl::nn {

Status ParameterCopy::Plan(PlanBuilder& builder, ParameterId id, const Layout& stored,
                           const Layout& wanted) {
  id_ = id;
  wanted_ = wanted;
  if (stored == wanted) return absl::OkStatus();
  from_store_ = wanted.type() != stored.type();
  if (from_store_) {
    builder.RequestWeightCopy(id, stored, wanted);
    return absl::OkStatus();
  }
  DL_ASSIGN_OR_RETURN(reorder_, Reorder(stored, wanted));
  copy_ = builder.arena().Add(wanted);
  scratch_ = AddBuffer(builder, reorder_, Role::kScratchpad);
  return absl::OkStatus();
}

Status ParameterCopy::Bind(const PlanMemory& memory) {
  if (from_store_) {
    values_ = memory.WeightCopy(id_, wanted_);
    return absl::OkStatus();
  }
  values_ = reorder_.empty() ? memory.Parameter(id_) : memory.Untyped(copy_);
  if (reorder_.empty()) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(bound_, reorder_.Bind({{Role::kSource, memory.Parameter(id_)},
                                             {Role::kDestination, values_},
                                             {Role::kScratchpad, memory.Buffer(scratch_)}}));
  return absl::OkStatus();
}

}  // namespace dl::nn
