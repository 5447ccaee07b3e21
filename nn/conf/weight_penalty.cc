#include "nn/conf/weight_penalty.h"

#include <algorithm>

#include "nn/conf/layer_config.h"

namespace dl::nn {
namespace {

bool IsPenalized(const ParameterConf& parameter) {
  return !parameter.frozen && (parameter.l1 != 0 || parameter.l2 != 0);
}

}  // namespace

double WeightPenalty(const ModelConfig& model, const SegmentTable& table,
                     std::span<const float> state) {
  double penalty = 0;
  for (const LayerConfig& layer : model.layers) {
    for (const ParameterConf& parameter : layer.parameters) {
      if (!IsPenalized(parameter)) continue;
      const Segment* segment = table.Find(layer.name + "." + parameter.name);
      DL_CHECK(segment != nullptr);
      double absolute = 0, squares = 0;
      for (const float w : table.View(*segment, state)) {
        absolute += w < 0 ? -static_cast<double>(w) : static_cast<double>(w);
        squares += static_cast<double>(w) * static_cast<double>(w);
      }
      penalty += parameter.l1 * absolute + 0.5 * parameter.l2 * squares;
    }
  }
  return penalty;
}

bool HasWeightPenalty(const ModelConfig& model) {
  return std::ranges::any_of(model.layers, [](const LayerConfig& layer) {
    return std::ranges::any_of(layer.parameters, IsPenalized);
  });
}

}  // namespace dl::nn
