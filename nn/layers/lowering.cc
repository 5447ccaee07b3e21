#include "nn/layers/lowering.h"

#include "base/overloaded.h"
#include "nn/conf/kinds.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/row_layers.h"
#include "nn/layers/compiled_adaptive_pool2d.h"
#include "nn/layers/compiled_add.h"
#include "nn/layers/compiled_attention.h"
#include "nn/layers/compiled_batch_norm.h"
#include "nn/layers/compiled_concat.h"
#include "nn/layers/compiled_convolution.h"
#include "nn/layers/compiled_dropout.h"
#include "nn/layers/compiled_edges2d.h"
#include "nn/layers/compiled_elementwise.h"
#include "nn/layers/compiled_embedding.h"
#include "nn/layers/compiled_flatten.h"
#include "nn/layers/compiled_gaussian_noise.h"
#include "nn/layers/compiled_gaussian_sample.h"
#include "nn/layers/compiled_global_pool1d.h"
#include "nn/layers/compiled_group_norm.h"
#include "nn/layers/compiled_gru.h"
#include "nn/layers/compiled_l2_normalize.h"
#include "nn/layers/compiled_last_step.h"
#include "nn/layers/compiled_layer_norm.h"
#include "nn/layers/compiled_local_response_norm.h"
#include "nn/layers/compiled_lstm.h"
#include "nn/layers/compiled_permute.h"
#include "nn/layers/compiled_pool.h"
#include "nn/layers/compiled_positional_embedding.h"
#include "nn/layers/compiled_prelu.h"
#include "nn/layers/compiled_recurrence.h"
#include "nn/layers/compiled_repeat.h"
#include "nn/layers/compiled_rms_norm.h"
#include "nn/layers/compiled_scale_shift.h"
#include "nn/layers/compiled_simple_rnn.h"
#include "nn/layers/compiled_step_windows.h"
#include "nn/layers/compiled_subset.h"
#include "nn/layers/compiled_transposed_conv2d.h"
#include "nn/layers/compiled_upsample2d.h"
#include "nn/layers/own_copy.h"

namespace dl::nn {
namespace {

// Operations of which each reads the one before it. Empty if only the activation has to be
// computed.
using Chain = std::vector<Operation>;

Chain Of(Operation operation) {
  Chain chain;
  chain.push_back(std::move(operation));
  return chain;
}

// The operations of one layer of the model: a chain, or several chains and an operation that joins
// their outputs. With kAll each chain reads all inputs of the layer, with kOneEach chain i reads
// only input i. The last chain follows the join.
struct Branches {
  enum class Reads : uint8_t { kAll, kOneEach };

  std::vector<Chain> chains;
  std::optional<Operation> join;
  Reads reads = Reads::kAll;
  Chain behind;

  Branches(Chain chain) {  // NOLINT: most layers are one chain
    chains.push_back(std::move(chain));
  }
  Branches(std::vector<Chain> several, Operation what_joins)
      : chains(std::move(several)), join(std::move(what_joins)) {}
};

std::unique_ptr<CompiledLayer> CompileCell(const LayerConfig& layer, const RecurrenceShape& shape) {
  if (const auto* rnn = std::get_if<SimpleRnn>(&layer.conf))
    return CompileSimpleRnn(layer.name, shape, rnn->activation);
  if (const auto* lstm = std::get_if<Lstm>(&layer.conf))
    return CompileLstm(layer.name, shape, lstm->forget_bias);
  return std::get<Gru>(layer.conf).reset_after ? CompileGru(layer.name, shape)
                                               : CompileResetGru(layer.name, shape);
}

std::unique_ptr<CompiledLayer> CompileMerge(StateMerge merge) {
  switch (merge) {
    case StateMerge::kConcat:
      return CompileConcat();
    case StateMerge::kSum:
      return CompileAdd();
    case StateMerge::kAverage:
      return CompileAverage();
    case StateMerge::kProduct:
      return CompileMultiply();
  }
  return CompileConcat();
}

struct CellRows {
  int64_t units = 0, gates = 1;
};

// Compiles a recurrent layer. It becomes a product with the inputs of all steps at once, followed
// by the layer of the cell, which computes step by step.
Branches CompileRecurrent(const LayerConfig& layer, size_t index, const RecurrentKeys& conf,
                          const CellRows& cell) {
  using Result = RecurrenceShape::Result;
  RecurrenceShape shape{.steps = layer.input.Steps(),
                        .units = cell.units,
                        .result = conf.return_sequences ? Result::kStates : Result::kLastState,
                        .stateful = conf.stateful,
                        .variable_length = layer.input.variable_length,
                        .dropout = {.probability = conf.recurrent_dropout,
                                    .layer_index = static_cast<int64_t>(index)}};
  const auto direction = [&](StepOrder order, const std::string& prefix) {
    shape.order = order;
    shape.prefix = prefix;
    Chain chain =
        Of(DenseOperation{layer.name, {.units = cell.gates * cell.units, .prefix = prefix}});
    chain.push_back(CompileCell(layer, shape));
    return chain;
  };
  if (conf.direction == Direction::kBackward) return direction(StepOrder::kBackward, "");
  if (!conf.IsBidirectional()) return direction(StepOrder::kForward, "");
  const std::vector<std::string> prefixes = conf.Prefixes();
  std::vector<Chain> both;
  both.push_back(direction(StepOrder::kForward, prefixes[0]));
  shape.dropout.purpose = RandomPurpose::kBackwardRecurrentDropout;
  both.push_back(direction(StepOrder::kBackward, prefixes[1]));
  return {std::move(both), CompileMerge(conf.merge)};
}

Chain CompileSelfAttention(const LayerConfig& layer, size_t index, const SelfAttention& conf) {
  const int64_t features = layer.input.channels;
  Chain chain =
      Of(DenseOperation{layer.name, {.units = 3 * features, .bias = conf.bias, .prefix = "qkv_"}});
  chain.push_back(CompileSelfAttentionHeads({.query_steps = layer.input.Steps(),
                                             .key_steps = layer.input.Steps(),
                                             .features = features,
                                             .heads = conf.heads,
                                             .causal = conf.causal,
                                             .variable_length = layer.input.variable_length,
                                             .dropout = conf.dropout,
                                             .layer_index = static_cast<int64_t>(index)}));
  chain.push_back(DenseOperation{layer.name, {.units = features, .bias = conf.bias}});
  return chain;
}

Branches CompileCrossAttention(const LayerConfig& layer, size_t index, const CrossAttention& conf) {
  const int64_t features = layer.input.channels;
  const auto product = [&](int64_t units, const std::string& prefix) {
    return Of(DenseOperation{layer.name, {.units = units, .bias = conf.bias, .prefix = prefix}});
  };
  std::vector<Chain> both;
  both.push_back(product(features, "q_"));
  both.push_back(product(2 * features, "kv_"));
  Branches branches(std::move(both),
                    CompileCrossAttentionHeads({.query_steps = layer.input.Steps(),
                                                .key_steps = layer.other_inputs.front().Steps(),
                                                .features = features,
                                                .heads = conf.heads,
                                                .dropout = conf.dropout,
                                                .layer_index = static_cast<int64_t>(index)}));
  branches.reads = Branches::Reads::kOneEach;
  branches.behind = product(features, "");
  return branches;
}

// Compiles a layer of sequences by means of a layer of images. `make` compiles that layer for the
// input AsImage(layer.input), with `front` steps of zeros before the first step.
template <typename Make>
Chain CompileOverSteps(const LayerConfig& layer, int64_t front, const Make& make) {
  const Permute turn({2, 1});
  const InputType& input = layer.input;
  LayerConfig image{.name = layer.name, .input = AsImage(input), .output = AsImage(layer.output)};
  Chain chain = Of(CompilePermute(turn, input));
  chain.push_back(CompileReshape(input.channels, image.input));
  if (front > 0) {
    chain.push_back(CompileZeroPad2D({.top = front}, image.input));
    image.input.height += front;
  }
  chain.push_back(make(image));
  const InputType turned = Sequence(layer.output.channels, layer.output.Steps());
  chain.push_back(CompileReshape(/*steps=*/1, turned));
  chain.push_back(CompilePermute(turn, turned));
  return chain;
}

// No default branch: a kind of layer without lowering is a compile error.
Branches CompileWithoutActivation(const LayerConfig& layer, size_t index) {
  return std::visit<Branches>(
      Overloaded{
          [&](const Dense& conf) {
            return Of(DenseOperation{layer.name, {.units = conf.units, .bias = conf.bias}});
          },
          [&](const Output& conf) {
            return Of(DenseOperation{layer.name, {.units = conf.units, .bias = conf.bias}});
          },
          [](const LossLayer&) { return Of(CompileOwnCopy()); },
          [&](const Conv2D& conf) { return Of(CompileConv2D(conf, layer)); },
          [&](const MaxPool2D& conf) { return Of(CompileMaxPool2D(conf, layer)); },
          [&](const AvgPool2D& conf) { return Of(CompileAvgPool2D(conf, layer)); },
          [&](const GlobalAvgPool2D&) { return Of(CompileGlobalAvgPool2D(layer)); },
          [&](const Conv3D& conf) { return Of(CompileConv3D(conf, layer)); },
          [&](const MaxPool3D& conf) { return Of(CompileMaxPool3D(conf, layer)); },
          [&](const AvgPool3D& conf) { return Of(CompileAvgPool3D(conf, layer)); },
          [&](const GlobalAvgPool3D&) { return Of(CompileGlobalAvgPool3D(layer)); },
          [&](const Conv1D& conf) {
            Chain chain = CompileOverSteps(
                layer, conf.StepsInFront(),
                [&](const LayerConfig& image) { return CompileConv2D(conf.As2D(), image); });
            if (layer.input.variable_length)
              chain.insert(chain.begin(), CompileStepMask(layer.input));
            return chain;
          },
          [&](const MaxPool1D& conf) {
            if (layer.input.variable_length) return Of(CompileStepMaxPool(conf, layer));
            return CompileOverSteps(layer, 0, [&](const LayerConfig& image) {
              return CompileMaxPool2D(conf.As2D(), image);
            });
          },
          [&](const AvgPool1D& conf) {
            if (layer.input.variable_length) return Of(CompileStepAvgPool(conf, layer));
            return CompileOverSteps(layer, 0, [&](const LayerConfig& image) {
              return CompileAvgPool2D(conf.As2D(), image);
            });
          },
          [&](const GlobalAvgPool1D&) { return Of(CompileGlobalAvgPool1D(layer.input)); },
          [&](const GlobalMaxPool1D&) { return Of(CompileGlobalMaxPool1D(layer.input)); },
          [&](const BatchNorm&) { return Of(CompileBatchNorm(layer)); },
          [&](const GroupNorm& conf) {
            return Of(CompileGroupNorm(layer, conf.groups, conf.epsilon));
          },
          [&](const InstanceNorm& conf) {
            return Of(CompileGroupNorm(layer, layer.input.channels, conf.epsilon));
          },
          [&](const LayerNorm&) { return Of(CompileLayerNorm(layer)); },
          [&](const PRelu&) { return Of(CompilePRelu(layer)); },
          [&](const RmsNorm&) { return Of(CompileRmsNorm(layer)); },
          [&](const Dropout& conf) {
            if (conf.probability == 0) return Chain();
            return Of(CompileDropout(conf, layer.input, static_cast<int64_t>(index)));
          },
          [&](const GaussianNoise& conf) {
            if (conf.deviation == 0) return Chain();
            return Of(CompileGaussianNoise(conf, static_cast<int64_t>(index)));
          },
          [&](const GaussianSample& conf) {
            return Of(CompileGaussianSample(conf, static_cast<int64_t>(index)));
          },
          [&](const Flatten&) {
            if (layer.input.kind == InputKind::kFeedForward) return Chain();
            return Of(CompileFlatten(layer.input.Steps()));
          },
          [&](const Reshape&) { return Of(CompileReshape(layer.input.Steps(), layer.output)); },
          [&](const Permute& conf) { return Of(CompilePermute(conf, layer.input)); },
          [](const Repeat& conf) { return Of(CompileRepeat(conf)); },
          [](const Subset& conf) { return Of(CompileSubset(conf)); },
          [](const ScaleShift& conf) { return Of(CompileScaleShift(conf)); },
          [](const L2Normalize& conf) { return Of(CompileL2Normalize(conf)); },
          [](const Add&) { return Of(CompileAdd()); },
          [](const Multiply&) { return Of(CompileMultiply()); },
          [](const Average&) { return Of(CompileAverage()); },
          [](const Maximum&) { return Of(CompileMaximum()); },
          [](const Concat&) { return Of(CompileConcat()); },
          [&](const Stack&) {
            Chain chain = Of(CompileConcat());
            chain.push_back(CompileReshape(/*steps=*/1, layer.output));
            return chain;
          },
          [&](const Embedding&) { return Of(CompileEmbedding(layer)); },
          [&](const PositionalEmbedding&) { return Of(CompilePositionalEmbedding(layer)); },
          [&](const SimpleRnn& conf) {
            return CompileRecurrent(layer, index, conf, {.units = conf.units});
          },
          [&](const Gru& conf) {
            return CompileRecurrent(layer, index, conf,
                                    {.units = conf.units, .gates = Gru::kGates});
          },
          [&](const Lstm& conf) {
            return CompileRecurrent(layer, index, conf,
                                    {.units = conf.units, .gates = Lstm::kGates});
          },
          [&](const LastStep&) { return Of(CompileLastStep(layer.input)); },
          [&](const SelfAttention& conf) { return CompileSelfAttention(layer, index, conf); },
          [&](const CrossAttention& conf) { return CompileCrossAttention(layer, index, conf); },
          [](const ActivationLayer&) { return Chain(); },
          [&](const Upsample2D& conf) { return Of(CompileUpsample2D(conf, layer.input)); },
          [&](const AdaptiveAvgPool2D& conf) {
            return Of(CompileAdaptiveAvgPool2D(conf.output_size, layer.input));
          },
          [&](const AdaptiveMaxPool2D& conf) {
            return Of(CompileAdaptiveMaxPool2D(conf.output_size, layer.input));
          },
          [&](const ZeroPad2D& conf) { return Of(CompileZeroPad2D(conf.edges, layer.input)); },
          [](const LocalResponseNorm& conf) { return Of(CompileLocalResponseNorm(conf)); },
          [&](const TransposedConv2D& conf) { return Of(CompileTransposedConv2D(conf, layer)); },
          [&](const Crop2D& conf) { return Of(CompileCrop2D(conf.edges, layer.input)); },
      },
      layer.conf);
}

bool IsMaxPool(const LayerConf& conf) {
  return std::holds_alternative<MaxPool2D>(conf) || std::holds_alternative<MaxPool3D>(conf);
}

class Lowering {
 public:
  explicit Lowering(const ModelConfig& model)
      : layers_(model.layers), given_(layers_.size()), readers_(layers_.size()) {
    for (size_t i = 0; i < model.inputs.size(); ++i) lowered_.inputs.push_back(lowered_.values++);
    for (const LayerConfig& layer : layers_) {
      for (const int read : layer.reads) {
        if (!IsInput(read)) ++readers_[read];
      }
    }
  }

  LoweredModel Lower() && {
    // Activations that are applied after max-pooling.
    std::vector<ActivationConf> waiting(layers_.size(), Identity());
    for (size_t i = 0; i < layers_.size(); ++i) {
      std::vector<ValueId> inputs;
      layer_ = &layers_[i];
      for (const int read : layers_[i].reads)
        inputs.push_back(IsInput(read) ? lowered_.inputs[InputIndex(read)] : given_[read]);
      ValueId value = Append(CompileWithoutActivation(layers_[i], i), inputs);
      ActivationConf activation = ActivationOf(layers_[i].conf);
      if (IsMaxPool(layers_[i].conf)) activation = waiting[i];
      const bool applies = activation.kind != ActivationKind::kIdentity;
      const bool waits = MayWait(i, activation);
      if (waits) {
        waiting[i + 1] = activation;
      } else if (applies) {
        value = Append(ActivationOperation{activation}, {value});
      }
      given_[i] = value;
      lowered_.layer_outputs.push_back(applies && waits ? std::nullopt : std::optional(value));
      if (EndsModel(layers_[i].conf)) lowered_.outputs.push_back(Append(CompileFlatten(), {value}));
    }
    return std::move(lowered_);
  }

 private:
  ValueId Append(Branches branches, const std::vector<ValueId>& inputs) {
    std::vector<ValueId> given;
    for (size_t i = 0; i < branches.chains.size(); ++i) {
      std::vector<ValueId> reads = inputs;
      if (branches.reads == Branches::Reads::kOneEach) reads = {inputs[i]};
      given.push_back(Append(std::move(branches.chains[i]), std::move(reads)));
    }
    const ValueId joined = Append(std::move(branches.join), std::move(given));
    return Append(std::move(branches.behind), {joined});
  }

  ValueId Append(Chain chain, std::vector<ValueId> reads) {
    for (Operation& each : chain) reads = {Append(std::move(each), std::move(reads))};
    return reads.front();
  }

  // Appends a node and returns its output. Returns the first input if there is no operation.
  ValueId Append(std::optional<Operation> operation, std::vector<ValueId> inputs) {
    if (!operation) return inputs.front();
    const ValueId output = lowered_.values++;
    const bool has_other_content = std::holds_alternative<OtherOperation>(*operation);
    lowered_.nodes.push_back(
        {.operation = *std::move(operation),
         .name = layer_->name,
         .inputs = std::move(inputs),
         .outputs = {output},
         .lengths = &layer_->input.lengths,
         .computes_rows_alone = !has_other_content || ComputesRowsAlone(layer_->conf)});
    return output;
  }

  // Returns whether the activation after layer `i` can be applied after the max-pooling that is its
  // only reader. This requires max(f(a), f(b)) = f(max(a, b)).
  bool MayWait(size_t i, const ActivationConf& activation) const {
    return i + 1 < layers_.size() && readers_[i] == 1 && IsMaxPool(layers_[i + 1].conf) &&
           layers_[i + 1].reads.front() == static_cast<int>(i) &&
           TraitsOf(activation).is_non_decreasing;
  }

  const std::vector<LayerConfig>& layers_;
  std::vector<ValueId> given_;          // output of each layer
  std::vector<int> readers_;            // number of readers of each layer
  const LayerConfig* layer_ = nullptr;  // the layer that is being lowered
  LoweredModel lowered_;
};

}  // namespace

LoweredModel LowerModel(const ModelConfig& model) { return Lowering(model).Lower(); }

}  // namespace dl::nn
