#include "nn/layers/lowering.h"

#include "nn/layers/activation.h"
#include "nn/layers/batch_norm.h"
#include "nn/layers/conv2d.h"
#include "nn/layers/dense.h"
#include "nn/layers/dropout.h"
#include "nn/layers/flatten.h"
#include "nn/layers/pool2d.h"

namespace dl::nn {
namespace {

// The activation that ends a layer; the identity for layers that have none.
ActivationConf ActivationOf(const LayerConf& conf) {
  if (const auto* layer = std::get_if<Dense>(&conf)) return layer->activation;
  if (const auto* layer = std::get_if<Conv2D>(&conf)) return layer->activation;
  if (const auto* layer = std::get_if<Output>(&conf)) return layer->activation;
  if (const auto* layer = std::get_if<ActivationLayer>(&conf)) return layer->activation;
  return Identity();
}

std::unique_ptr<CompiledLayer> CompileWithoutActivation(const ModelConfig& model, size_t index) {
  const LayerConfig& layer = model.layers[index];
  if (const auto* dense = std::get_if<Dense>(&layer.conf)) {
    return CompileDense(layer.name, {.units = dense->units, .bias = dense->bias});
  }
  if (const auto* output = std::get_if<Output>(&layer.conf)) {
    return CompileDense(layer.name, {.units = output->units, .bias = output->bias});
  }
  if (std::holds_alternative<Conv2D>(layer.conf)) return CompileConv2D(layer);
  if (std::holds_alternative<MaxPool2D>(layer.conf)) return CompilePool2D(layer);
  if (std::holds_alternative<AvgPool2D>(layer.conf)) return CompilePool2D(layer);
  if (std::holds_alternative<BatchNorm>(layer.conf)) return CompileBatchNorm(layer);
  if (const auto* dropout = std::get_if<Dropout>(&layer.conf)) {
    return dropout->probability > 0 ? CompileDropout(*dropout, static_cast<int64_t>(index))
                                    : nullptr;
  }
  if (std::holds_alternative<Flatten>(layer.conf)) {
    return layer.input.IsImage() ? CompileFlatten() : nullptr;
  }
  return nullptr;  // an ActivationLayer is nothing but its activation
}

}  // namespace

std::vector<std::unique_ptr<CompiledLayer>> LowerModel(const ModelConfig& model) {
  std::vector<std::unique_ptr<CompiledLayer>> lowered;
  const auto append = [&](std::unique_ptr<CompiledLayer> layer) {
    if (layer != nullptr) lowered.push_back(std::move(layer));
  };
  ActivationConf waiting = Identity();  // behind a max-pooling that comes next
  for (size_t i = 0; i < model.layers.size(); ++i) {
    append(CompileWithoutActivation(model, i));
    ActivationConf activation = ActivationOf(model.layers[i].conf);
    if (std::holds_alternative<MaxPool2D>(model.layers[i].conf)) std::swap(activation, waiting);
    const bool pool_follows =
        i + 1 < model.layers.size() && std::holds_alternative<MaxPool2D>(model.layers[i + 1].conf);
    if (pool_follows && IsNonDecreasing(activation)) {
      waiting = activation;
    } else {
      append(CompileActivation(activation));
    }
  }
  return lowered;
}

}  // namespace dl::nn
