#include "nn/layers/conversion.h"

namespace dl::nn {

BufferId AddBuffer(PlanBuilder& builder, const Primitive& primitive, Role role) {
  const int64_t floats = primitive.storage_floats(role);
  if (floats == 0) return kNoBuffer;
  const Layout layout = primitive.layout(role);
  return layout.type() == DataType::kBf16 ? builder.arena().Add(layout)
                                          : builder.arena().Add(floats);
}

StatusOr<Tensor> Conversion::Plan(PlanBuilder& builder, const Tensor& from, const Layout& wanted) {
  builder.arena().Use(from.buffer);
  if (from.layout == wanted) return from;
  DL_ASSIGN_OR_RETURN(primitive_, Reorder(from.layout, wanted));
  from_ = from.buffer;
  to_ = builder.arena().Add(wanted);
  scratch_ = AddBuffer(builder, primitive_, Role::kScratchpad);
  return Tensor{.layout = wanted, .buffer = to_};
}

Status Conversion::Bind(const PlanMemory& memory) {
  if (primitive_.empty()) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(bound_, primitive_.Bind({{Role::kSource, memory.Untyped(from_)},
                                               {Role::kDestination, memory.Untyped(to_)},
                                               {Role::kScratchpad, memory.Untyped(scratch_)}}));
  return absl::OkStatus();
}

}  // namespace dl::nn
