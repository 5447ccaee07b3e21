#include "nn/carried_states.h"

#include <algorithm>
#include <string>

#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"

namespace dl::nn {

StatusOr<CarriedStates> CarriedStates::Create(const ModelConfig& model, const SegmentTable& table,
                                              const Rows& rows) {
  CarriedStates states;
  int64_t floats = 0;
  const auto place = [&floats](int64_t size) {
    const int64_t offset = floats;
    floats += ArenaPlan::Aligned(size);
    return offset;
  };
  const SegmentTable of_one_row = FullTable(model, 1);
  for (const Segment& row : of_one_row.segments()) {
    if (row.kind != SegmentKind::kCarried) continue;
    Tensor tensor{.segment = {.name = row.name, .kind = SegmentKind::kCarried}};
    if (const Segment* const segment = table.Find(row.name)) tensor.segment = *segment;
    tensor.training = place(tensor.segment.size);
    tensor.inference = place(rows.inference * row.size);
    states.tensors_.push_back(std::move(tensor));
  }
  if (floats == 0) return states;
  DL_ASSIGN_OR_RETURN(states.values_, FloatBuffer::Create(floats));
  states.Clear();
  return states;
}

StatusOr<CarriedId> CarriedStates::Find(std::string_view layer, std::string_view name) const {
  const std::string wanted = std::string(layer) + "." + std::string(name);
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].segment.name == wanted) return static_cast<CarriedId>(i);
  }
  return Internal({.message = "the model has no carried state \"" + std::string(name) + "\"",
                   .where = "layer " + std::string(layer)});
}

float* CarriedStates::rows(CarriedId id, Purpose purpose) {
  const Tensor& tensor = tensors_[id];
  return values_.data() + (purpose == Purpose::kTraining ? tensor.training : tensor.inference);
}

void CarriedStates::Clear() { std::fill_n(values_.data(), values_.size(), 0.0f); }

void CarriedStates::Load(std::span<const SegmentSpan> state) {
  for (const Tensor& tensor : tensors_) {
    float* const to = values_.data() + tensor.training;
    if (const auto values = FindIn(state, tensor.segment)) {
      std::copy(values->begin(), values->end(), to);
    } else {
      std::fill_n(to, tensor.segment.size, 0.0f);
    }
  }
}

void CarriedStates::Store(std::span<float> state) const {
  for (const Tensor& tensor : tensors_) {
    std::copy_n(values_.data() + tensor.training, tensor.segment.size,
                state.data() + tensor.segment.offset);
  }
}

}  // namespace dl::nn
