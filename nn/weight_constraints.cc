#include "nn/weight_constraints.h"

#include <algorithm>
#include <utility>

#include "nn/backend/parallel_for.h"
#include "nn/conf/kinds.h"
#include "nn/kernels/norm_limits.h"

namespace dl::nn {
namespace {

void Constrain(const WeightConstraintConf& constraint, float* rows, int64_t outputs,
               int64_t inputs) {
  switch (constraint.kind) {
    case WeightConstraintKind::kNone:
      return;
    case WeightConstraintKind::kMaxNorm:
      return LimitRowNorms(rows, outputs, inputs, constraint.max);
    case WeightConstraintKind::kUnitNorm:
      return UnitRowNorms(rows, outputs, inputs);
  }
}

}  // namespace

StatusOr<WeightConstraints> WeightConstraints::Create(std::span<const Target> targets) {
  WeightConstraints made;
  int64_t largest = 0;
  for (const Target& target : targets) {
    if (target.constraint.kind != WeightConstraintKind::kNone && !target.to_canonical->empty())
      largest = std::max(largest, target.outputs * target.inputs);
  }
  DL_ASSIGN_OR_RETURN(made.copy_, FloatBuffer::Create(largest));
  made.floats_ = largest;
  for (const Target& target : targets) {
    if (target.constraint.kind == WeightConstraintKind::kNone) continue;
    Piece piece{.constraint = target.constraint,
                .rows = target.weights,
                .outputs = target.outputs,
                .inputs = target.inputs};
    if (!target.to_canonical->empty()) {
      piece.rows = made.copy_.data();
      DL_ASSIGN_OR_RETURN(piece.to_canonical,
                          TensorCopy::Create(*target.to_canonical, target.weights, piece.rows));
      DL_ASSIGN_OR_RETURN(piece.to_kernel,
                          TensorCopy::Create(*target.to_kernel, piece.rows, target.weights));
      made.floats_ += piece.to_canonical.floats() + piece.to_kernel.floats();
    }
    made.pieces_.push_back(std::move(piece));
  }
  return made;
}

Status WeightConstraints::Apply() {
  for (const Piece& piece : pieces_) {
    const bool copies = !piece.to_canonical.empty();
    if (copies) DL_RETURN_IF_ERROR(piece.to_canonical.Run());
    ForRows(piece.outputs, piece.inputs, [&](int64_t begin, int64_t end) {
      Constrain(piece.constraint, piece.rows + begin * piece.inputs, end - begin, piece.inputs);
    });
    if (copies) DL_RETURN_IF_ERROR(piece.to_kernel.Run());
  }
  return absl::OkStatus();
}

}  // namespace dl::nn
