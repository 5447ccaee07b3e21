#include "nn/parameter_store.h"

#include <algorithm>
#include <string>

#include "nn/backend/parallel_for.h"
#include "nn/conf/gradient_norms.h"
#include "nn/conf/kinds.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "nn/kernels/elementwise_kernels.h"
#include "nn/tensor_copy.h"

namespace dl::nn {
namespace {

bool IsParameterOrMoment(const Segment& segment) {
  return segment.kind != SegmentKind::kUpdater && segment.kind != SegmentKind::kCarried;
}

int IndexOf(const SegmentTable& table, std::string_view name) {
  const Segment* segment = table.Find(name);
  return segment == nullptr ? -1 : static_cast<int>(segment - table.segments().data());
}

// Copies one tensor through a reorder, or as it is if the reorder is empty.
Status CopyTensor(const Primitive& reorder, const float* from, float* to, int64_t floats) {
  if (reorder.empty()) {
    CopyFloats(from, floats, to);
    return absl::OkStatus();
  }
  DL_ASSIGN_OR_RETURN(const TensorCopy copy, TensorCopy::Create(reorder, from, to));
  return copy.Run();
}

}  // namespace

ParameterStore::ParameterStore(const ModelConfig& model, const Options& options)
    : model_(model),
      options_(options),
      table_(FullTable(model, options.carried_rows)),
      shared_(model, table_) {
  const std::span<const std::string_view> state_names = StateNamesOf(model.updater);
  for (size_t i = 0; i < table_.segments().size(); ++i) {
    const Segment& segment = table_.segments()[i];
    if (!IsParameterOrMoment(segment)) break;
    Tensor tensor{.segment = static_cast<int>(i)};
    tensor.states.fill(-1);
    for (size_t k = 0; k < state_names.size() && segment.kind == SegmentKind::kParameter; ++k) {
      tensor.states[k] = IndexOf(table_, segment.name + "/" + std::string(state_names[k]));
      DL_CHECK(tensor.states[k] >= 0);
    }
    tensors_.push_back(std::move(tensor));
  }
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const LayerConfig& layer = model.layers[i];
    for (const ParameterConf& parameter : layer.parameters) {
      Tensor& tensor = tensors_.at(IndexOf(table_, layer.name + "." + parameter.name));
      tensor.layer = static_cast<int>(i);
      tensor.trained = parameter.kind == SegmentKind::kParameter && !parameter.frozen;
      trains_all_ = trains_all_ && !parameter.frozen;
      tensor.l1 = parameter.l1;
      tensor.l2 = parameter.l2;
      tensor.weight_decay = parameter.weight_decay;
      tensor.learning_rate_factor = parameter.learning_rate_factor;
      tensor.constraint = parameter.weight_constraint;
      if (std::holds_alternative<Embedding>(layer.conf) && KeepsRowsWithoutGradient(tensor))
        tensor.touched.emplace(parameter.shape[0], parameter.shape[1]);
    }
  }
  for (Tensor& tensor : tensors_) {
    tensor.consumes_gradient = options.early_updates && !options.accumulates &&
                               !NeedsTensorNorms(model.updater) && !NeedsGradientNorms(model) &&
                               SegmentOf(tensor).kind == SegmentKind::kParameter &&
                               !HasSharers(tensor) && !tensor.touched;
  }
}

bool ParameterStore::HasSharers(const Tensor& tensor) const {
  for (int i = 0; i < shared_.count(); ++i) {
    if (shared_.owner(i) == tensor.segment) return true;
  }
  return false;
}

bool ParameterStore::KeepsRowsWithoutGradient(const Tensor& tensor) const {
  return !HasSharers(tensor) && ZerosChangeNothing(model_.updater) && tensor.l1 == 0 &&
         tensor.l2 == 0 && tensor.weight_decay == 0 &&
         tensor.constraint.kind == WeightConstraintKind::kNone;
}

StatusOr<ParameterId> ParameterStore::Find(std::string_view layer, std::string_view name) const {
  const std::string whole = std::string(layer) + "." + std::string(name);
  if (const int shared = shared_.Find(whole); shared >= 0)
    return static_cast<ParameterId>(tensors_.size()) + shared;
  const int index = IndexOf(table_, whole);
  if (index < 0 || IsShared(index)) {
    return Internal({.message = "the model has no parameter \"" + std::string(name) + "\"",
                     .where = "layer " + std::string(layer)});
  }
  return index;
}

Status ParameterStore::Arrange(const std::vector<ParameterLayout>& layouts,
                               const std::vector<WeightCopies::Request>& copies) {
  DL_RETURN_IF_ERROR(ArrangeTensors(layouts));
  DL_ASSIGN_OR_RETURN(const bool moved,
                      copies_.Arrange(copies, [this](ParameterId id) { return weights(id); }));
  if (moved) ++generation_;
  return copies_.Refresh();
}

Status ParameterStore::ArrangeTensors(const std::vector<ParameterLayout>& layouts) {
  if (are_values_lost_)
    return Internal({.message = "an earlier error has lost the weights of the network"});
  if (layouts == layouts_) return absl::OkStatus();
  if (layouts_.empty()) return Place(layouts);
  DL_ASSIGN_OR_RETURN(FloatBuffer canonical, FloatBuffer::Create(table_.size()));
  DL_RETURN_IF_ERROR(Store(canonical.span()));
  FloatBuffer accumulated;
  if (accumulating_) {
    DL_ASSIGN_OR_RETURN(accumulated, FloatBuffer::Create(table_.SizeOf(SegmentKind::kParameter)));
    DL_RETURN_IF_ERROR(StoreGradients(accumulated_, accumulated.span()));
  }
  are_values_lost_ = true;
  DL_RETURN_IF_ERROR(Place(layouts));
  if (accumulating_) DL_RETURN_IF_ERROR(LoadGradients(accumulated.span(), accumulated_));
  const SegmentSpan whole{0, canonical.span()};
  DL_RETURN_IF_ERROR(Load(std::span(&whole, 1)));
  are_values_lost_ = false;
  return absl::OkStatus();
}

Status ParameterStore::Place(const std::vector<ParameterLayout>& layouts) {
  DL_CHECK(static_cast<int>(layouts.size()) == count());
  layouts_.clear();  // after an error below the tensors are only partly placed
  copies_.Clear();
  int64_t total = 0, gradients = 0;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Tensor& tensor = tensors_[i];
    const auto& [canonical, layout] = layouts[i];
    tensor.offset = total;
    tensor.floats = layout.stored_elements();
    // Otherwise tensors would overlap.
    DL_CHECK(tensor.floats >= table_.segments()[tensor.segment].size);
    total += ArenaPlan::Aligned(tensor.floats);
    if (SegmentOf(tensor).kind == SegmentKind::kParameter && !tensor.consumes_gradient) {
      tensor.gradient_offset = gradients;
      gradients += ArenaPlan::Aligned(tensor.floats);
    }
    tensor.to_kernel = tensor.to_canonical = Primitive();
    if (canonical == layout) continue;
    DL_ASSIGN_OR_RETURN(tensor.to_kernel, Reorder(canonical, layout));
    DL_ASSIGN_OR_RETURN(tensor.to_canonical, Reorder(layout, canonical));
  }
  ++generation_;
  DL_ASSIGN_OR_RETURN(weights_, FloatBuffer::Create(total));
  DL_ASSIGN_OR_RETURN(gradients_, FloatBuffer::Create(gradients));
  for (size_t k = 0; k < StateNamesOf(model_.updater).size(); ++k) {
    DL_ASSIGN_OR_RETURN(states_[k], FloatBuffer::Create(total));
  }
  if (options_.accumulates) {
    DL_ASSIGN_OR_RETURN(accumulated_, FloatBuffer::Create(gradients));
  }
  DL_RETURN_IF_ERROR(PlaceShared(layouts));
  layouts_ = layouts;
  return absl::OkStatus();
}

Status ParameterStore::PlaceShared(const std::vector<ParameterLayout>& layouts) {
  std::vector<Layout> own;
  std::vector<SharedParameters::Owner> owners;
  for (int i = 0; i < shared_.count(); ++i) {
    const int owner = shared_.owner(i);
    own.push_back(layouts[tensors_.size() + i].layout);
    owners.push_back({weights(owner), gradient(owner), layouts[owner].layout});
  }
  return shared_.Place(own, owners);
}

int64_t ParameterStore::floats() const {
  int64_t floats = weights_.size() + gradients_.size() + accumulated_.size() +
                   canonical_gradients_.tensors.floats() + canonical_weights_.tensors.floats() +
                   constraints_.floats() + shared_.floats() + copies_.floats();
  for (const FloatBuffer& state : states_) floats += state.size();
  return floats;
}

Status ParameterStore::Load(std::span<const SegmentSpan> state) {
  const auto copy = [&](int segment, const Tensor& tensor, float* block) -> Status {
    if (const auto values = FindIn(state, table_.segments()[segment])) {
      return CopyTensor(tensor.to_kernel, values->data(), block + tensor.offset,
                        static_cast<int64_t>(values->size()));
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
  DL_RETURN_IF_ERROR(shared_.Refresh());
  copies_.ExpireAll();
  return copies_.Refresh();
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

float* ParameterStore::gradient(ParameterId id) {
  if (IsShared(id)) return shared_.gradient(SharedIndex(id));
  const int64_t offset = tensors_[id].gradient_offset;
  return offset < 0 ? nullptr : gradients_.data() + offset;
}

Status ParameterStore::StoreGradients(const FloatBuffer& block, std::span<float> canonical) const {
  for (const Tensor& tensor : tensors_) {
    const Segment& segment = SegmentOf(tensor);
    if (tensor.gradient_offset < 0) continue;
    DL_RETURN_IF_ERROR(CopyTensor(tensor.to_canonical, block.data() + tensor.gradient_offset,
                                  canonical.data() + segment.offset, segment.size));
  }
  return absl::OkStatus();
}

Status ParameterStore::LoadGradients(std::span<const float> canonical, FloatBuffer& block) const {
  for (const Tensor& tensor : tensors_) {
    const Segment& segment = SegmentOf(tensor);
    if (tensor.gradient_offset < 0) continue;
    DL_RETURN_IF_ERROR(CopyTensor(tensor.to_kernel, canonical.data() + segment.offset,
                                  block.data() + tensor.gradient_offset, segment.size));
  }
  return absl::OkStatus();
}

Status ParameterStore::AccumulateGradients(const MicroBatchPlace& place) {
  DL_CHECK(options_.accumulates);
  accumulating_ = !place.last;
  if (place.first) {
    CopyFloats(gradients_.data(), gradients_.size(), accumulated_.data());
    return absl::OkStatus();
  }
  if (place.last) {
    for (Tensor& tensor : tensors_) {
      if (tensor.touched) tensor.touched->SetAll();
    }
  }
  float* const sum = place.last ? gradients_.data() : accumulated_.data();
  ForElements(gradients_.size(), [&](int64_t begin, int64_t end) {
    ScaledSumOf(accumulated_.data() + begin, gradients_.data() + begin, 1.0f, sum + begin,
                end - begin);
  });
  return absl::OkStatus();
}

void ParameterStore::BeginCollection(std::span<float> gradients) { collected_ = gradients; }

Status ParameterStore::CollectGradient(const Tensor& tensor, const float* gradient) {
  const Segment& segment = SegmentOf(tensor);
  return CopyTensor(tensor.to_canonical, gradient, collected_.data() + segment.offset,
                    segment.size);
}

Status ParameterStore::FinishCollection() {
  DL_RETURN_IF_ERROR(StoreGradients(gradients_, collected_));
  for (const Tensor& tensor : tensors_) {
    const Segment& segment = SegmentOf(tensor);
    if (segment.kind == SegmentKind::kParameter && !tensor.trained)
      std::fill_n(collected_.begin() + segment.offset, segment.size, 0.0f);
  }
  collected_ = {};
  return absl::OkStatus();
}

Status ParameterStore::BindTensors(const FloatBuffer& block, int64_t Tensor::*offset,
                                   BoundTensors& bound) {
  if (bound.generation == generation_) return absl::OkStatus();
  std::vector<CanonicalTensors::Source> sources;
  for (const Tensor& tensor : tensors_) {
    const Segment& segment = SegmentOf(tensor);
    if (segment.kind != SegmentKind::kParameter) break;
    sources.push_back({.values = block.data() + tensor.*offset,
                       .to_canonical = &tensor.to_canonical,
                       .size = segment.size});
  }
  bound.tensors = CanonicalTensors();  // frees the old copy first, because both may not fit
  DL_ASSIGN_OR_RETURN(bound.tensors, CanonicalTensors::Create(sources));
  bound.generation = generation_;
  return absl::OkStatus();
}

}  // namespace dl::nn
