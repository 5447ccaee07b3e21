#include "nn/layers/parameter_copy.h"

namespace dl::nn {

Status ParameterCopy::Plan(PlanBuilder& builder, ParameterId id, const Layout& stored,
                           const Layout& wanted) {
  id_ = id;
  wanted_ = wanted;
  if (stored == wanted) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(reorder_, Reorder(stored, wanted));
  copy_ = builder.arena().Add(wanted);
  scratch_ = AddBuffer(builder, reorder_, Role::kScratchpad);
  return absl::OkStatus();
}

void ParameterCopy::Share(PlanBuilder& builder, const ParameterCopy& other) {
  id_ = other.id_;
  wanted_ = other.wanted_;
  copy_ = other.copy_;
  builder.arena().Use(copy_);
}

Status ParameterCopy::Bind(const PlanMemory& memory) {
  if (reorder_.empty()) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(bound_, reorder_.Bind({{Role::kSource, memory.Parameter(id_)},
                                             {Role::kDestination, memory.Untyped(copy_)},
                                             {Role::kScratchpad, memory.Buffer(scratch_)}}));
  return absl::OkStatus();
}

}  // namespace dl::nn
