#include "nn/conf/model_config.h"

#include "nn/conf/layer_config.h"

namespace dl::nn {

ModelConfig::ModelConfig() = default;
ModelConfig::ModelConfig(const ModelConfig&) = default;
ModelConfig::ModelConfig(ModelConfig&&) noexcept = default;
ModelConfig& ModelConfig::operator=(const ModelConfig&) = default;
ModelConfig& ModelConfig::operator=(ModelConfig&&) noexcept = default;
ModelConfig::~ModelConfig() = default;
bool ModelConfig::operator==(const ModelConfig&) const = default;

Output ModelConfig::output() const { return OutputOf(layers.back()); }

int64_t ModelConfig::ParameterCount() const {
  int64_t total = 0;
  for (const LayerConfig& layer : layers) total += layer.ParameterCount();
  return total;
}

int64_t LayerConfig::ParameterCount() const {
  int64_t total = 0;
  for (const ParameterConf& parameter : parameters) {
    if (parameter.kind != SegmentKind::kParameter) continue;
    int64_t size = 1;
    for (const int64_t extent : parameter.shape) size *= extent;
    total += size;
  }
  return total;
}

Output OutputOf(const LayerConfig& layer) {
  if (const auto* loss = std::get_if<LossLayer>(&layer.conf)) return loss->As(layer.input.channels);
  return std::get<Output>(layer.conf);
}

}  // namespace dl::nn
