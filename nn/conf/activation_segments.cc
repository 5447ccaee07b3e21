#include "nn/conf/activation_segments.h"

#include <algorithm>
#include <cmath>

#include "nn/conf/layer_config.h"
#include "nn/conf/layer_memory.h"

namespace dl::nn {

std::vector<int> ActivationSegments(const ModelConfig& model) {
  const size_t layers = model.layers.size();
  std::vector<double> kept_up_to;  // by this layer and all before it
  double kept = 0;
  for (const LayerConfig& layer : model.layers) {
    kept += MemoryOf(layer, PaddedValues(layer.input), /*batch=*/1, /*threads=*/1).kept;
    kept_up_to.push_back(kept);
  }
  const double count = std::max(1.0, std::round(std::sqrt(static_cast<double>(layers))));
  std::vector<int> segments;
  int current = 0;
  for (size_t i = 0; i < layers; ++i) {
    segments.push_back(current);
    if (kept_up_to[i] >= kept * (current + 1) / count) ++current;
  }
  return segments;
}

}  // namespace dl::nn
