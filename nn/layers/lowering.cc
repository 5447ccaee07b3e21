#include "nn/layers/lowering.h"

#include "base/overloaded.h"
#include "nn/conf/layer_config.h"
#include "nn/layers/activation.h"
#include "nn/layers/add.h"
#include "nn/layers/batch_norm.h"
#include "nn/layers/concat.h"
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
                        [&](const GlobalAvgPool2D&) { return CompileGlobalAvgPool2D(layer); },
                        [&](const BatchNorm&) { return CompileBatchNorm(layer); },
                        [&](const Dropout& conf) -> Compiled {
                          if (conf.probability == 0) return nullptr;
                          return CompileDropout(conf, static_cast<int64_t>(index));
                        },
                        [&](const Flatten&) -> Compiled {
                          return layer.input.IsImage() ? CompileFlatten() : nullptr;
                        },
                        [](const Add&) { return CompileAdd(); },
                        [](const Concat&) { return CompileConcat(); },
                        [](const ActivationLayer&) -> Compiled { return nullptr; },
                    },
                    layer.conf);
}

class Lowering {
 public:
  explicit Lowering(const ModelConfig& model)
      : layers_(model.layers), given_(layers_.size()), readers_(layers_.size()) {
    for (const LayerConfig& layer : layers_) {
      for (const int read : layer.reads) {
        if (read != kModelInput) ++readers_[read];
      }
    }
  }

  LoweredModel Lower() && {
    std::vector<ActivationConf> waiting(layers_.size(), Identity());  // behind the max-pooling
    for (size_t i = 0; i < layers_.size(); ++i) {
      std::vector<ValueId> inputs;
      for (const int read : layers_[i].reads)
        inputs.push_back(read == kModelInput ? 0 : given_[read]);
      ValueId value = Append(CompileWithoutActivation(layers_[i], i), std::move(inputs));
      ActivationConf activation = ActivationOf(layers_[i].conf);
      if (std::holds_alternative<MaxPool2D>(layers_[i].conf)) activation = waiting[i];
      if (MayWait(i, activation)) {
        waiting[i + 1] = activation;
      } else {
        value = Append(CompileActivation(activation), {value});
      }
      given_[i] = value;
    }
    lowered_.outputs = {Append(CompileFlatten(), {given_.back()})};
    return std::move(lowered_);
  }

 private:
  // What the layer gives; without one its first input passes.
  ValueId Append(std::unique_ptr<CompiledLayer> layer, std::vector<ValueId> inputs) {
    if (layer == nullptr) return inputs.front();
    const ValueId output = lowered_.values++;
    lowered_.nodes.push_back(
        {.layer = std::move(layer), .inputs = std::move(inputs), .outputs = {output}});
    return output;
  }

  // Whether the activation behind layer `i`, for which max(f(a), f(b)) = f(max(a, b)), may come
  // behind the max-pooling that alone reads it.
  bool MayWait(size_t i, const ActivationConf& activation) const {
    return i + 1 < layers_.size() && readers_[i] == 1 &&
           std::holds_alternative<MaxPool2D>(layers_[i + 1].conf) &&
           layers_[i + 1].reads.front() == static_cast<int>(i) &&
           TraitsOf(activation).is_non_decreasing;
  }

  const std::vector<LayerConfig>& layers_;
  std::vector<ValueId> given_;  // by layer
  std::vector<int> readers_;    // likewise
  LoweredModel lowered_{.values = 1, .inputs = {0}};
};

}  // namespace

LoweredModel LowerModel(const ModelConfig& model) { return Lowering(model).Lower(); }

}  // namespace dl::nn
