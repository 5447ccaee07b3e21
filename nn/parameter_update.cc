// The update of ParameterStore: norms, updater, constraints and copies.
#include <algorithm>
#include <limits>

#include "base/portable_math.h"
#include "nn/backend/parallel_for.h"
#include "nn/conf/gradient_norms.h"
#include "nn/conf/kinds.h"
#include "nn/parameter_store.h"
#include "nn/sum_of_squares.h"

namespace dl::nn {

void ParameterStore::BeginUpdate(double learning_rate, int64_t update_count) {
  step_ = {.learning_rate = learning_rate, .update_count = update_count};
  collected_ = {};
}

Status ParameterStore::ConsumeGradient(ParameterId id, float* gradient) {
  const Tensor& tensor = tensors_[id];
  DL_CHECK(tensor.consumes_gradient);
  if (!tensor.trained) return absl::OkStatus();
  if (!collected_.empty()) return CollectGradient(tensor, gradient);
  UpdateTensor(id, gradient);
  return absl::OkStatus();
}

Status ParameterStore::BindUpdate() {
  const bool by_tensor = NeedsTensorNorms(model_.updater);
  if (by_tensor || NeedsGradientNorms(model_))
    DL_RETURN_IF_ERROR(BindTensors(gradients_, &Tensor::gradient_offset, canonical_gradients_));
  if (by_tensor) DL_RETURN_IF_ERROR(BindTensors(weights_, &Tensor::offset, canonical_weights_));
  return BindConstraints();
}

Status ParameterStore::FinishUpdate() {
  DL_RETURN_IF_ERROR(BindUpdate());
  DL_RETURN_IF_ERROR(ScaleGradients());
  if (NeedsTensorNorms(model_.updater)) {
    for (ParameterId id = 0; !IsShared(id); ++id) {
      if (tensors_[id].trained) PrepareUpdate(model_, step_, ViewOf(tensors_[id], gradient(id)));
    }
    DL_RETURN_IF_ERROR(SetTrustRatios());
  }
  for (ParameterId id = 0; !IsShared(id); ++id) {
    if (tensors_[id].trained && !tensors_[id].consumes_gradient) UpdateTensor(id, gradient(id));
  }
  DL_RETURN_IF_ERROR(constraints_.Apply());
  for (ParameterId id = static_cast<ParameterId>(tensors_.size()); id < count(); ++id)
    copies_.Expire(id);
  DL_RETURN_IF_ERROR(shared_.Refresh());
  return copies_.Refresh();
}

void ParameterStore::UpdateTensor(ParameterId id, float* gradient) {
  const Tensor& tensor = tensors_[id];
  const UpdateTensors whole = ViewOf(tensor, gradient);
  copies_.Expire(id);
  if (tensor.constraint.kind == WeightConstraintKind::kNone && copies_.CanFollow(id)) {
    // In pieces that are still in the cache when they are copied.
    constexpr int64_t kPiece = 8 * WeightCopies::kFollowed;
    ForElements(whole.floats, [&](int64_t begin, int64_t end) {
      for (int64_t first = begin; first < end; first += kPiece) {
        const IndexRange piece{first, std::min(first + kPiece, end)};
        ApplyUpdate(model_, step_, whole.Slice(piece));
        copies_.Follow(id, piece);
      }
    });
    return copies_.FinishFollowing(id);
  }
  if (!tensor.touched || !tensor.touched->AreFew()) return ApplyUpdate(model_, step_, whole);
  const std::span<const int32_t> rows = tensor.touched->rows();
  const int64_t columns = tensor.touched->columns();
  ForRows(static_cast<int64_t>(rows.size()), columns, [&](int64_t begin, int64_t end) {
    for (const int64_t row : rows.subspan(begin, end - begin))
      ApplyUpdate(model_, step_, whole.Slice({row * columns, (row + 1) * columns}));
  });
}

UpdateTensors ParameterStore::ViewOf(const Tensor& tensor, float* gradient) {
  UpdateTensors view{.weights = weights_.data() + tensor.offset,
                     .gradient = gradient,
                     .floats = tensor.floats,
                     .l1 = tensor.l1,
                     .l2 = tensor.l2,
                     .weight_decay = tensor.weight_decay,
                     .learning_rate_factor = tensor.learning_rate_factor,
                     .gradient_scale = tensor.gradient_scale,
                     .trust_ratio = tensor.trust_ratio};
  for (size_t k = 0; k < states_.size(); ++k) {
    if (tensor.states[k] >= 0) view.state[k] = states_[k].data() + tensor.offset;
  }
  return view;
}

Status ParameterStore::ScaleGradients() {
  if (!NeedsGradientNorms(model_)) return absl::OkStatus();
  const CanonicalTensors& gradients = canonical_gradients_.tensors;
  const bool normalizes = model_.gradient_normalization.kind != GradientNormalizationKind::kNone;
  const float bound = model_.clip_gradients_by_value > 0
                          ? static_cast<float>(model_.clip_gradients_by_value)
                          : std::numeric_limits<float>::infinity();
  if (!normalizes && trains_all_) {
    SumOfSquaresInPieces sum(bound);
    for (size_t i = 0; i < gradients.size(); ++i) {
      DL_ASSIGN_OR_RETURN(const std::span<const float> values, gradients.Get(i));
      sum.Add(values);
    }
    step_.gradient_scale = NormClipScale(model_, sum.Total());
    return absl::OkStatus();
  }
  if (normalizes) DL_RETURN_IF_ERROR(NormalizeGradients(bound));
  if (model_.clip_gradients_by_norm == 0) return absl::OkStatus();
  double squares = 0;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Tensor& tensor = tensors_[i];
    if (!tensor.trained) continue;
    DL_ASSIGN_OR_RETURN(const std::span<const float> values, gradients.Get(i));
    squares +=
        ParallelSumOfSquares(values, bound) * (tensor.gradient_scale * tensor.gradient_scale);
  }
  step_.gradient_scale = NormClipScale(model_, squares);
  return absl::OkStatus();
}

Status ParameterStore::NormalizeGradients(float bound) {
  const CanonicalTensors& gradients = canonical_gradients_.tensors;
  const bool by_layer = IsPerLayer(model_.gradient_normalization.kind);
  for (size_t begin = 0, end = 0; begin < gradients.size(); begin = end) {
    // Tensors of one layer are adjacent.
    double squares = 0;
    for (end = begin; end < gradients.size(); ++end) {
      const Tensor& tensor = tensors_[end];
      if (end > begin && !(by_layer && tensor.layer == tensors_[begin].layer)) break;
      if (!tensor.trained) continue;
      DL_ASSIGN_OR_RETURN(const std::span<const float> values, gradients.Get(end));
      squares += ParallelSumOfSquares(values, bound);
    }
    for (size_t i = begin; i < end; ++i)
      tensors_[i].gradient_scale = NormalizationScale(model_, squares);
  }
  return absl::OkStatus();
}

Status ParameterStore::SetTrustRatios() {
  constexpr float kUnbounded = std::numeric_limits<float>::infinity();
  const auto norm = [&](const BoundTensors& bound, size_t i) -> StatusOr<double> {
    DL_ASSIGN_OR_RETURN(const std::span<const float> values, bound.tensors.Get(i));
    return portable::Sqrt(ParallelSumOfSquares(values, kUnbounded));
  };
  for (size_t i = 0; i < canonical_weights_.tensors.size(); ++i) {
    Tensor& tensor = tensors_[i];
    if (!tensor.trained || SegmentOf(tensor).shape.size() < 2) continue;
    DL_ASSIGN_OR_RETURN(const double weights, norm(canonical_weights_, i));
    DL_ASSIGN_OR_RETURN(const double prepared, norm(canonical_gradients_, i));
    tensor.trust_ratio =
        TrustRatio(model_.updater, {.weights = weights, .prepared = prepared}, tensor.l2);
  }
  return absl::OkStatus();
}

Status ParameterStore::BindConstraints() {
  if (constraints_generation_ == generation_) return absl::OkStatus();
  std::vector<WeightConstraints::Target> targets;
  for (const Tensor& tensor : tensors_) {
    if (!tensor.trained) continue;
    const Segment& segment = SegmentOf(tensor);
    const int64_t outputs = segment.shape.front();
    targets.push_back({.constraint = tensor.constraint,
                       .weights = weights_.data() + tensor.offset,
                       .to_canonical = &tensor.to_canonical,
                       .to_kernel = &tensor.to_kernel,
                       .outputs = outputs,
                       .inputs = segment.size / outputs});
  }
  constraints_ = WeightConstraints();  // frees the old copy first, because both may not fit
  DL_ASSIGN_OR_RETURN(constraints_, WeightConstraints::Create(targets));
  constraints_generation_ = generation_;
  return absl::OkStatus();
}

}  // namespace dl::nn
