#include "nn/conf/model_config.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nn/conf/layer_config.h"

namespace dl::nn {
namespace {

int64_t ElementsOf(const LayerConfig& layer, SegmentKind kind) {
  int64_t total = 0;
  for (const ParameterConf& parameter : layer.parameters) {
    if (parameter.kind != kind) continue;
    int64_t size = 1;
    for (int64_t extent : parameter.shape) size *= extent;
    total += size;
  }
  return total;
}

}  // namespace

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
  for (const LayerConfig& layer : layers) total += ElementsOf(layer, SegmentKind::kParameter);
  return total;
}

Output OutputOf(const LayerConfig& layer) {
  if (const auto* loss = std::get_if<LossLayer>(&layer.conf)) return loss->As(layer.input.channels);
  return std::get<Output>(layer.conf);
}

std::string Summary(const ModelConfig& model) {
  size_t name_width = 5, type_width = 11;
  for (const NamedInput& input : model.inputs) name_width = std::max(name_width, input.name.size());
  for (const LayerConfig& layer : model.layers) {
    name_width = std::max(name_width, layer.name.size());
    type_width = std::max(type_width, TagOf(layer.conf).size());
  }
  const auto row = [&](std::string_view name, std::string_view type, std::string_view output,
                       std::string_view parameters) {
    return absl::StrFormat("%-*s  %-*s  %-20s  %12s\n", static_cast<int>(name_width), name,
                           static_cast<int>(type_width), type, output, parameters);
  };
  std::string text = row("layer", "type", "output", "parameters");
  for (const NamedInput& input : model.inputs)
    absl::StrAppend(&text, row(input.name, "", Describe(input.type), ""));
  for (const LayerConfig& layer : model.layers) {
    const bool own = layer.shared.empty() || !layer.parameters.empty();
    const std::string parameters = own ? absl::StrCat(ElementsOf(layer, SegmentKind::kParameter))
                                       : "of " + model.layers[layer.shared.front().layer].name;
    absl::StrAppend(&text, row(layer.name, TagOf(layer.conf), Describe(layer.output), parameters));
  }
  absl::StrAppend(&text, row("total", "", "", absl::StrCat(model.ParameterCount())));
  return text;
}

}  // namespace dl::nn
