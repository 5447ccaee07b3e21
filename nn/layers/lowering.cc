#include "nn/layers/lowering.h"

#include "base/overloaded.h"
#include "nn/conf/layer_config.h"
#include "nn/layers/activation.h"
#include "nn/layers/batch_norm.h"
#include "nn/layers/conv2d.h"
#include "nn/layers/dense.h"
#include "nn/layers/dropout.h"
#include "nn/layers/flatten.h"
#include "nn/layers/pool2d.h"

namespace dl::nn {
namespace {

// Null where there is nothing to compute besides the activation. No default branch: a layer that
// nobody lowers does not compile.
std::unique_ptr<CompiledLayer> CompileWithoutActivation(const LayerConfig& layer, size_t index) {
  using Compiled = std::unique_ptr<CompiledLayer>;
  return std::visit(Overloaded{
                        [&](const Dense& conf) {
                          return CompileDense(layer.name, {.units = conf.units, .bias = conf.bias});
                        },
                        [&](const Output& conf) {
                          return CompileDense(layer.name, {.units = conf.units, .bias = conf.bias});
                        },
                        [&](const Conv2D&) { return CompileConv2D(layer); },
                        [&](const MaxPool2D& conf) { return CompileMaxPool2D(conf, layer); },
                        [&](const AvgPool2D& conf) { return CompileAvgPool2D(conf, layer); },
                        [&](const BatchNorm&) { return CompileBatchNorm(layer); },
                        [&](const Dropout& conf) -> Compiled {
                          if (conf.probability == 0) return nullptr;
                          return CompileDropout(conf, static_cast<int64_t>(index));
                        },
                        [&](const Flatten&) -> Compiled {
                          return layer.input.IsImage() ? CompileFlatten() : nullptr;
                        },
                        [](const ActivationLayer&) -> Compiled { return nullptr; },
                    },
                    layer.conf);
}

}  // namespace

LoweredModel LowerModel(const ModelConfig& model) {
  LoweredModel lowered{.values = 1, .inputs = {0}};
  ValueId last = 0;
  const auto append = [&](std::unique_ptr<CompiledLayer> layer) {
    if (layer == nullptr) return;
    const ValueId output = lowered.values++;
    lowered.nodes.push_back({.layer = std::move(layer), .inputs = {last}, .outputs = {output}});
    last = output;
  };
  ActivationConf waiting = Identity();  // behind a max-pooling that comes next
  for (size_t i = 0; i < model.layers.size(); ++i) {
    append(CompileWithoutActivation(model.layers[i], i));
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
  append(CompileFlatten());
  lowered.outputs = {last};
  return lowered;
}

}  // namespace dl::nn
