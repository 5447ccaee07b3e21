#include "nn/parameter_store.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "nn/kernels/rows.h"

namespace dl::nn {
namespace {

bool IsUpdaterState(const Segment& segment) { return segment.kind == SegmentKind::kUpdater; }

int IndexOf(const SegmentTable& table, std::string_view name) {
  const Segment* segment = table.Find(name);
  return segment == nullptr ? -1 : static_cast<int>(segment - table.segments().data());
}

// Copies one tensor through a reorder, or as it is without one.
Status CopyTensor(const Primitive& reorder, const float* from, float* to, int64_t floats) {
  if (reorder.empty()) {
    std::memcpy(to, from, floats * sizeof(float));
    return absl::OkStatus();
  }
  DL_ASSIGN_OR_RETURN(FloatBuffer scratch,
                      FloatBuffer::Create(reorder.storage_floats(Role::kScratchpad)));
  DL_ASSIGN_OR_RETURN(
      const BoundPrimitive bound,
      reorder.Bind({{Role::kSource, const_cast<float*>(from)},  // oneDNN only reads its sources
                    {Role::kDestination, to},
                    {Role::kScratchpad, scratch.data()}}));
  return bound.Run();
}

}  // namespace

ParameterStore::ParameterStore(const ModelConfig& model) : model_(model), table_(FullTable(model)) {
  const std::span<const std::string_view> state_names = StateNamesOf(model.updater);
  for (size_t i = 0; i < table_.segments().size() && !IsUpdaterState(table_.segments()[i]); ++i) {
    const Segment& segment = table_.segments()[i];
    Tensor tensor{.segment = static_cast<int>(i)};
    tensor.states.fill(-1);
    for (size_t k = 0; k < state_names.size() && segment.kind == SegmentKind::kParameter; ++k) {
      tensor.states[k] = IndexOf(table_, segment.name + "/" + std::string(state_names[k]));
      DL_CHECK(tensor.states[k] >= 0);
    }
    tensors_.push_back(std::move(tensor));
  }
  for (const LayerConfig& layer : model.layers) {
    for (const ParameterConf& parameter : layer.parameters) {
      Tensor& tensor = tensors_.at(IndexOf(table_, layer.name + "." + parameter.name));
      tensor.l2 = parameter.l2;
      tensor.weight_decay = parameter.weight_decay;
    }
  }
}

StatusOr<ParameterId> ParameterStore::Find(std::string_view layer, std::string_view name) const {
  const int index = IndexOf(table_, std::string(layer) + "." + std::string(name));
  if (index < 0 || index >= count()) {
    return Internal({.message = "the model has no parameter \"" + std::string(name) + "\"",
                     .where = "layer " + std::string(layer)});
  }
  return index;
}

Status ParameterStore::Arrange(const std::vector<ParameterLayout>& layouts) {
  if (layouts == layouts_) return absl::OkStatus();
  if (layouts_.empty()) return Place(layouts);
  DL_ASSIGN_OR_RETURN(FloatBuffer canonical, FloatBuffer::Create(table_.size()));
  DL_RETURN_IF_ERROR(Store(canonical.span()));
  DL_RETURN_IF_ERROR(Place(layouts));
  const Stretch whole{0, canonical.span()};
  return Load(std::span(&whole, 1));
}

Status ParameterStore::Place(const std::vector<ParameterLayout>& layouts) {
  DL_CHECK(layouts.size() == tensors_.size());
  layouts_.clear();  // an error below leaves parts of both
  int64_t total = 0;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Tensor& tensor = tensors_[i];
    const auto& [canonical, layout] = layouts[i];
    tensor.offset = total;
    tensor.floats = layout.storage_floats();
    DL_CHECK(tensor.floats >= table_.segments()[tensor.segment].size);  // else the next lies in it
    total += (tensor.floats + ArenaPlan::kAlignmentFloats - 1) / ArenaPlan::kAlignmentFloats *
             ArenaPlan::kAlignmentFloats;
    tensor.to_kernel = tensor.to_canonical = Primitive();
    if (canonical == layout) continue;
    DL_ASSIGN_OR_RETURN(tensor.to_kernel, Reorder(canonical, layout));
    DL_ASSIGN_OR_RETURN(tensor.to_canonical, Reorder(layout, canonical));
  }
  ++generation_;
  DL_ASSIGN_OR_RETURN(weights_, FloatBuffer::Create(total));
  DL_ASSIGN_OR_RETURN(gradients_, FloatBuffer::Create(total));
  for (size_t k = 0; k < StateNamesOf(model_.updater).size(); ++k) {
    DL_ASSIGN_OR_RETURN(states_[k], FloatBuffer::Create(total));
  }
  layouts_ = layouts;
  return absl::OkStatus();
}

int64_t ParameterStore::floats() const {
  int64_t floats = weights_.size() + gradients_.size() + canonical_gradients_.size();
  for (const FloatBuffer& state : states_) floats += state.size();
  return floats;
}

Status ParameterStore::Load(std::span<const Stretch> state) {
  const auto copy = [&](int segment, const Tensor& tensor, float* block) -> Status {
    const Segment& s = table_.segments()[segment];
    for (const Stretch& stretch : state) {
      const int64_t at = s.offset - stretch.offset;
      if (at < 0 || at + s.size > static_cast<int64_t>(stretch.values.size())) continue;
      return CopyTensor(tensor.to_kernel, stretch.values.data() + at, block + tensor.offset,
                        s.size);
    }
    std::fill_n(block + tensor.offset, tensor.floats, 0.0f);
    return absl::OkStatus();
  };
  for (const Tensor& tensor : tensors_) {
    DL_RETURN_IF_ERROR(copy(tensor.segment, tensor, weights_.data()));
    for (size_t k = 0; k < states_.size(); ++k) {
      if (tensor.states[k] >= 0)
        DL_RETURN_IF_ERROR(copy(tensor.states[k], tensor, states_[k].data()));
    }
  }
  return absl::OkStatus();
}

Status ParameterStore::Store(std::span<float> state) const {
  const auto copy = [&](int segment, const Tensor& tensor, const float* block) {
    const Segment& s = table_.segments()[segment];
    return CopyTensor(tensor.to_canonical, block + tensor.offset, state.data() + s.offset, s.size);
  };
  for (const Tensor& tensor : tensors_) {
    DL_RETURN_IF_ERROR(copy(tensor.segment, tensor, weights_.data()));
    for (size_t k = 0; k < states_.size(); ++k) {
      if (tensor.states[k] >= 0)
        DL_RETURN_IF_ERROR(copy(tensor.states[k], tensor, states_[k].data()));
    }
  }
  return absl::OkStatus();
}

Status ParameterStore::Update(double learning_rate, int64_t update_count) {
  UpdateStep step{.learning_rate = learning_rate, .update_count = update_count};
  if (model_.clip_gradients_by_norm > 0) {
    DL_ASSIGN_OR_RETURN(const std::span<const float> all, CanonicalGradients());
    const float bound = model_.clip_gradients_by_value > 0
                            ? static_cast<float>(model_.clip_gradients_by_value)
                            : std::numeric_limits<float>::infinity();
    step.gradient_scale =
        NormClipScale(model_, SumOfSquares(all.data(), static_cast<int64_t>(all.size()), bound));
  }
  for (const Tensor& tensor : tensors_) {
    if (table_.segments()[tensor.segment].kind != SegmentKind::kParameter) continue;
    UpdateTensors update{.weights = weights_.data() + tensor.offset,
                         .gradient = gradients_.data() + tensor.offset,
                         .floats = tensor.floats,
                         .l2 = tensor.l2,
                         .weight_decay = tensor.weight_decay};
    for (size_t k = 0; k < states_.size(); ++k) {
      if (tensor.states[k] >= 0) update.state[k] = states_[k].data() + tensor.offset;
    }
    ApplyUpdate(model_, step, update);
  }
  return absl::OkStatus();
}

StatusOr<std::span<const float>> ParameterStore::CanonicalGradients() {
  const int64_t size = table_.SizeOf(SegmentKind::kParameter);
  if (bound_generation_ != generation_) {
    DL_ASSIGN_OR_RETURN(canonical_gradients_, FloatBuffer::Create(size));
    to_canonical_gradients_.clear();
    for (Tensor& tensor : tensors_) {
      BoundPrimitive bound;
      const Segment& segment = table_.segments()[tensor.segment];
      if (segment.kind == SegmentKind::kParameter && !tensor.to_canonical.empty()) {
        DL_ASSIGN_OR_RETURN(
            bound, tensor.to_canonical.Bind(
                       {{Role::kSource, gradients_.data() + tensor.offset},
                        {Role::kDestination, canonical_gradients_.data() + segment.offset}}));
      }
      to_canonical_gradients_.push_back(std::move(bound));
    }
    bound_generation_ = generation_;
  }
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const Segment& segment = table_.segments()[tensors_[i].segment];
    if (segment.kind != SegmentKind::kParameter) continue;
    if (!to_canonical_gradients_[i].empty()) {
      DL_RETURN_IF_ERROR(to_canonical_gradients_[i].Run());
    } else {
      std::memcpy(canonical_gradients_.data() + segment.offset,
                  gradients_.data() + tensors_[i].offset, segment.size * sizeof(float));
    }
  }
  return std::span<const float>(canonical_gradients_.data(), size);
}

}  // namespace dl::nn
