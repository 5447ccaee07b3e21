#include "nn/shared_parameters.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "nn/arena.h"
#include "nn/backend/parallel_for.h"
#include "nn/conf/layer_config.h"
#include "nn/kernels/elementwise_kernels.h"

namespace dl::nn {

SharedParameters::SharedParameters(const ModelConfig& model, const SegmentTable& table) {
  for (const LayerConfig& layer : model.layers) {
    for (const SharedParameter& shared : layer.shared) {
      const Segment* const owner =
          table.Find(absl::StrCat(model.layers[shared.layer].name, ".", shared.name));
      DL_CHECK(owner != nullptr);
      tensors_.push_back({.name = absl::StrCat(layer.name, ".", shared.name),
                          .owner = static_cast<int>(owner - table.segments().data())});
    }
  }
}

int SharedParameters::Find(std::string_view name) const {
  const auto found = std::ranges::find(tensors_, name, &Tensor::name);
  return found == tensors_.end() ? -1 : static_cast<int>(found - tensors_.begin());
}

int64_t SharedParameters::floats() const { return buffer_.size(); }

Status SharedParameters::Place(const std::vector<Layout>& layouts,
                               const std::vector<Owner>& owners) {
  struct Reorders {
    Primitive refresh, move;  // weights from the owner, gradient to the owner
  };
  std::vector<Reorders> reorders(tensors_.size());
  int64_t total = 0;
  const auto claim = [&](int64_t floats) { total += ArenaPlan::Aligned(floats); };
  for (size_t i = 0; i < tensors_.size(); ++i) {
    claim(layouts[i].stored_elements());  // the gradient
    if (layouts[i] == owners[i].layout) continue;
    DL_ASSIGN_OR_RETURN(reorders[i].refresh, Reorder(owners[i].layout, layouts[i]));
    DL_ASSIGN_OR_RETURN(reorders[i].move, Reorder(layouts[i], owners[i].layout));
    claim(layouts[i].stored_elements());
    claim(owners[i].layout.stored_elements());
    claim(reorders[i].refresh.storage_floats(Role::kScratchpad));
    claim(reorders[i].move.storage_floats(Role::kScratchpad));
  }
  DL_ASSIGN_OR_RETURN(buffer_, FloatBuffer::Create(total));
  float* next = buffer_.data();
  const auto take = [&](int64_t floats) {
    float* const taken = next;
    next += ArenaPlan::Aligned(floats);
    return taken;
  };
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Tensor& tensor = tensors_[i];
    const Owner& owner = owners[i];
    tensor.gradient = tensor.moved_gradient = take(layouts[i].stored_elements());
    tensor.weights = owner.weights;
    tensor.owners_gradient = owner.gradient;
    tensor.owners_floats = owner.layout.stored_elements();
    tensor.refresh = BoundPrimitive();
    tensor.move = BoundPrimitive();
    if (reorders[i].refresh.empty()) continue;
    tensor.weights = take(layouts[i].stored_elements());
    tensor.moved_gradient = take(owner.layout.stored_elements());
    const auto bind = [&](const Primitive& reorder, float* from, float* to) {
      return reorder.Bind({{Role::kSource, from},
                           {Role::kDestination, to},
                           {Role::kScratchpad, take(reorder.storage_floats(Role::kScratchpad))}});
    };
    DL_ASSIGN_OR_RETURN(tensor.refresh, bind(reorders[i].refresh, owner.weights, tensor.weights));
    DL_ASSIGN_OR_RETURN(tensor.move,
                        bind(reorders[i].move, tensor.gradient, tensor.moved_gradient));
  }
  return absl::OkStatus();
}

Status SharedParameters::Refresh() {
  for (const Tensor& tensor : tensors_) {
    if (!tensor.refresh.empty()) DL_RETURN_IF_ERROR(tensor.refresh.Run());
  }
  return absl::OkStatus();
}

Status SharedParameters::AddGradients() {
  for (const Tensor& tensor : tensors_) {
    if (!tensor.move.empty()) DL_RETURN_IF_ERROR(tensor.move.Run());
    ForElements(tensor.owners_floats, [&](int64_t begin, int64_t end) {
      ScaledSumOf(tensor.owners_gradient + begin, tensor.moved_gradient + begin, 1.0f,
                  tensor.owners_gradient + begin, end - begin);
    });
  }
  return absl::OkStatus();
}

}  // namespace dl::nn
