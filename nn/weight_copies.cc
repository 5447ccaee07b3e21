#include "nn/weight_copies.h"

#include <algorithm>
#include <utility>

namespace dl::nn {

StatusOr<WeightCopies::Copy> WeightCopies::Make(const Request& request, const float* weights) {
  Copy copy{.request = request, .weights = weights};
  DL_ASSIGN_OR_RETURN(const Primitive reorder, Reorder(request.stored, request.wanted));
  DL_ASSIGN_OR_RETURN(copy.buffer, FloatBuffer::Create(reorder.storage_floats(Role::kDestination)));
  DL_ASSIGN_OR_RETURN(copy.whole, TensorCopy::Create(reorder, weights, copy.buffer.data()));
  copy.pairs = PairedWeightsOf(request.stored, request.wanted);
  if (copy.pairs && kFollowed % copy.pairs->UnitValues() != 0) copy.pairs.reset();
  copy.pair_values = reinterpret_cast<uint32_t*>(copy.buffer.data());
  return copy;
}

StatusOr<bool> WeightCopies::Arrange(const std::vector<Request>& requests,
                                     const AddressOf& weights) {
  if (requests == current_) return false;
  const auto find = [&](const Request& request) {
    return std::ranges::find(copies_, request, &Copy::request);
  };
  current_.clear();  // after an error below, the copies are incomplete
  for (Copy& copy : copies_) copy.is_current = false;
  std::vector<Request> missing;
  for (const Request& request : requests) {
    const auto found = find(request);
    if (found == copies_.end()) {
      missing.push_back(request);
    } else {
      found->is_current = true;
    }
  }
  bool moved = false;
  if (!missing.empty()) {
    // Otherwise the copies of plans for many shapes would add up.
    moved = std::erase_if(copies_, [](const Copy& copy) { return !copy.is_current; }) > 0;
    for (const Request& request : missing) {
      DL_ASSIGN_OR_RETURN(Copy copy, Make(request, weights(request.id)));
      copy.is_current = true;
      copies_.push_back(std::move(copy));
    }
  }
  current_ = requests;
  return moved;
}

void WeightCopies::Clear() {
  current_.clear();
  copies_.clear();
}

int64_t WeightCopies::floats() const {
  int64_t floats = 0;
  for (const Copy& copy : copies_) floats += copy.buffer.size() + copy.whole.floats();
  return floats;
}

void* WeightCopies::Find(ParameterId id, const Layout& wanted) {
  for (Copy& copy : copies_) {
    if (copy.request.id == id && copy.request.wanted == wanted) return copy.buffer.data();
  }
  return nullptr;
}

void WeightCopies::Expire(ParameterId id) {
  for (Copy& copy : copies_) {
    if (copy.request.id == id) copy.is_fresh = false;
  }
}

void WeightCopies::ExpireAll() {
  for (Copy& copy : copies_) copy.is_fresh = false;
}

Status WeightCopies::Refresh() {
  for (Copy& copy : copies_) {
    if (!copy.is_current || copy.is_fresh) continue;
    DL_RETURN_IF_ERROR(copy.whole.Run());
    copy.is_fresh = true;
  }
  return absl::OkStatus();
}

bool WeightCopies::CanFollow(ParameterId id) const {
  bool has_copy = false;
  for (const Copy& copy : copies_) {
    if (copy.request.id != id || !copy.is_current) continue;
    if (!copy.pairs) return false;
    has_copy = true;
  }
  return has_copy;
}

void WeightCopies::Follow(ParameterId id, IndexRange range) const {
  for (const Copy& copy : copies_) {
    if (copy.request.id != id || !copy.is_current) continue;
    copy.pairs->Round(copy.weights, range, copy.pair_values);
  }
}

void WeightCopies::FinishFollowing(ParameterId id) {
  for (Copy& copy : copies_) {
    if (copy.request.id == id && copy.is_current) copy.is_fresh = true;
  }
}

}  // namespace dl::nn
