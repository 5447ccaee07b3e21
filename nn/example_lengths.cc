#include "nn/example_lengths.h"

#include <algorithm>

#include "base/status.h"
#include "nn/conf/layer_config.h"

namespace dl::nn {

ExampleLengths::ExampleLengths(const ModelConfig& model, int64_t most) {
  if (!model.input().variable_length) return;
  const auto add = [&](const InputType& type) {
    if (std::ranges::find(lists_, type.lengths, &List::way) == lists_.end())
      lists_.push_back({.way = type.lengths, .lengths = std::vector<int32_t>(most)});
  };
  add(model.input());
  for (const LayerConfig& layer : model.layers) add(layer.input);
}

void ExampleLengths::Set(std::span<const int32_t> lengths) {
  for (List& list : lists_) {
    std::ranges::transform(lengths, list.lengths.begin(), [&](int32_t length) {
      return static_cast<int32_t>(list.way.Of(length));
    });
  }
}

const int32_t* ExampleLengths::Of(const StepLengths& lengths) const {
  if (lists_.empty()) return nullptr;
  const auto found = std::ranges::find(lists_, lengths, &List::way);
  DL_CHECK(found != lists_.end());
  return found->lengths.data();
}

}  // namespace dl::nn
