#include "tests/gradient/reference/reference_network.h"

#include <algorithm>

#include "base/overloaded.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "tests/gradient/reference/reference_activation.h"
#include "tests/gradient/reference/reference_attention.h"
#include "tests/gradient/reference/reference_batch_norm.h"
#include "tests/gradient/reference/reference_border.h"
#include "tests/gradient/reference/reference_convolution.h"
#include "tests/gradient/reference/reference_dense.h"
#include "tests/gradient/reference/reference_dropout.h"
#include "tests/gradient/reference/reference_embeddings.h"
#include "tests/gradient/reference/reference_gaussian_sample.h"
#include "tests/gradient/reference/reference_gru.h"
#include "tests/gradient/reference/reference_joins.h"
#include "tests/gradient/reference/reference_layer_norm.h"
#include "tests/gradient/reference/reference_pixels.h"
#include "tests/gradient/reference/reference_pooling.h"
#include "tests/gradient/reference/reference_prelu.h"
#include "tests/gradient/reference/reference_recurrence.h"
#include "tests/gradient/reference/reference_response_norm.h"
#include "tests/gradient/reference/reference_rows.h"
#include "tests/gradient/reference/reference_simple_rnn.h"
#include "tests/gradient/reference/reference_transposed_convolution.h"

namespace dl::reference {
namespace {

std::unique_ptr<JoiningLayer> MergeOf(nn::StateMerge merge) {
  switch (merge) {
    case nn::StateMerge::kConcat:
      return std::make_unique<Concatenation>();
    case nn::StateMerge::kSum:
      return std::make_unique<Sum>();
    case nn::StateMerge::kAverage:
      return std::make_unique<Mean>();
    case nn::StateMerge::kProduct:
      return std::make_unique<Product>();
  }
  return nullptr;
}

}  // namespace

Network::Network(const nn::ModelConfig& model, int64_t carried_rows)
    : model_(model),
      table_(nn::FullTable(model, carried_rows)),
      state_(table_.size()),
      gradient_(table_.SizeOf(SegmentKind::kParameter)) {
  for (size_t i = 0; i < model_.layers.size(); ++i) Append(i);
  const std::vector<nn::ModelOutput> outputs = OutputsOf(model_);
  const nn::LabelForm form = LabelFormOf(outputs);
  for (const nn::ModelOutput& output : outputs) {
    outputs_.push_back({.model = output,
                        .loss = reference::Loss(output.conf.loss, output.type.Steps()),
                        .numbers = form.owners > 1 ? form.numbers : 0});
  }
}

Tensor Network::TensorOf(const nn::LayerConfig& layer, const std::string& name) {
  const auto shared = std::ranges::find(layer.shared, name, &nn::SharedParameter::name);
  const bool is_shared = shared != layer.shared.end();
  const nn::LayerConfig& owner = is_shared ? model_.layers[shared->layer] : layer;
  const Segment* segment = table_.Find(owner.name + "." + name);
  if (segment == nullptr) return {};
  Tensor tensor{.value = std::span(state_).subspan(segment->offset, segment->size)};
  if (segment->kind == SegmentKind::kParameter) {
    tensor.gradient = std::span(gradient_).subspan(segment->offset, segment->size);
  }
  if (is_shared) {
    shared_gradients_.push_back({segment->offset, Values(segment->size)});
    tensor.gradient = shared_gradients_.back().values;
  }
  return tensor;
}

// No default branch: a layer type without a reference does not compile.
void Network::Append(size_t index) {
  const nn::LayerConfig& layer = model_.layers[index];
  const auto weight = [&] { return TensorOf(layer, "weight"); };
  const auto bias = [&] { return TensorOf(layer, "bias"); };
  std::vector<size_t> reads;
  for (const int read : layer.reads)
    reads.push_back(nn::IsInput(read) ? nn::InputIndex(read) : given_[read]);
  const int64_t steps = layer.input.Steps();
  // Appends a node after the previous one. In sequences, some nodes treat whole examples as their
  // examples, others each step.
  const auto add_node = [&](Node node) {
    node.reads = reads;
    nodes_.push_back(std::move(node));
    reads = {model_.inputs.size() + nodes_.size() - 1};
  };
  const auto add = [&](std::unique_ptr<Layer> made) { add_node({.layer = std::move(made)}); };
  const auto add_by_steps = [&](std::unique_ptr<Layer> made) {
    add_node({.layer = std::move(made), .rows = steps});
  };
  const auto join = [&](std::unique_ptr<JoiningLayer> made) {
    add_node({.join = std::move(made), .rows = steps});
  };
  const auto average_of = [](const auto& conf) {
    return conf.count_padding ? Pooling::Kind::kAverageOfKernel : Pooling::Kind::kAverage;
  };
  const auto pool = [&](Pooling::Kind kind, const auto& window) {
    add(std::make_unique<Pooling>(kind,
                                  Pooling::Shape{OfVolumes(window), layer.input, layer.output}));
  };
  // For sequences: reorders to an image of one column, features first, and back.
  const auto over_steps = [&](int64_t front, const auto& make) {
    nn::InputType in = AsImage(layer.input);
    const nn::InputType out = AsImage(layer.output);
    add(std::make_unique<Permute>(layer.input.Shape(), std::vector<int64_t>{1, 0}));
    if (front > 0) {
      nn::InputType padded = in;
      padded.height += front;
      add(std::make_unique<MovedPixels>(
          MovedPixels::Shape{.input = in, .output = padded, .begin = {front, 0}}));
      in = padded;
    }
    add(make(in, out));
    add(std::make_unique<Permute>(std::vector<int64_t>{out.channels, out.height},
                                  std::vector<int64_t>{1, 0}));
  };
  const auto activate = [&](const nn::ActivationConf& conf) {
    add_by_steps(std::make_unique<Activation>(conf));
  };
  const auto convolve = [&](const auto& conf) {
    add(std::make_unique<Convolution>(
        weight(), bias(),
        Convolution::Shape{conf.groups, OfVolumes(conf.window), layer.input, layer.output}));
    activate(conf.activation);
  };
  const auto tensor = [&](const char* name) { return TensorOf(layer, name); };
  const auto normalize_groups = [&](int64_t groups, double epsilon) {
    const auto channels = static_cast<size_t>(layer.input.channels);
    add(std::make_unique<GroupNorm>(
        tensor("gamma"), tensor("beta"),
        GroupNorm::Shape{channels, layer.input.Elements() / channels, static_cast<size_t>(groups)},
        epsilon));
  };
  const auto dropout_of = [&](const nn::RecurrentKeys& conf, const std::string& prefix) {
    return RecurrentDropout{conf.recurrent_dropout, index,
                            prefix.empty() ? RandomPurpose::kRecurrentDropout
                                           : RandomPurpose::kBackwardRecurrentDropout};
  };
  const auto weights_dropout_of = [&](double probability) {
    return AttentionDropout{probability, index, RandomPurpose::kAttentionDropout};
  };
  // Adds one direction after the other; both read the layer's input. `make` creates the cell for
  // tensors with the given name prefix.
  const auto recur = [&](const nn::RecurrentKeys& conf, int64_t gate_rows, const auto& make) {
    const std::vector<size_t> read = reads;
    std::vector<size_t> given;
    for (const std::string& prefix : conf.Prefixes()) {
      reads = read;
      const bool backward = conf.direction == nn::Direction::kBackward || prefix == "backward_";
      add_by_steps(std::make_unique<Dense>(TensorOf(layer, prefix + "weight"),
                                           TensorOf(layer, prefix + "bias"), gate_rows));
      if (backward) add(std::make_unique<Reversal>(steps));
      add(make(prefix));
      if (!conf.return_sequences) {
        add(std::make_unique<LastStep>(steps));
      } else if (backward) {
        add(std::make_unique<Reversal>(steps));
      }
      given.push_back(reads.front());
    }
    if (given.size() == 1) return;
    reads = given;
    add_node({.join = MergeOf(conf.merge), .rows = layer.output.Steps()});
  };
  std::visit(
      Overloaded{
          [&](const nn::Dense& conf) {
            add_by_steps(std::make_unique<Dense>(weight(), bias(), conf.units));
            activate(conf.activation);
          },
          [&](const nn::Output& conf) {
            add_by_steps(std::make_unique<Dense>(weight(), bias(), conf.units));
            activate(conf.activation);
          },
          [](const nn::LossLayer&) {},
          [&](const nn::Conv2D& conf) { convolve(conf); },
          [&](const nn::Conv3D& conf) { convolve(conf); },
          [&](const nn::MaxPool2D& conf) { pool(Pooling::Kind::kMax, conf.window); },
          [&](const nn::AvgPool2D& conf) { pool(average_of(conf), conf.window); },
          [&](const nn::GlobalAvgPool2D&) {
            const nn::Extent2D whole{layer.input.height, layer.input.width};
            pool(Pooling::Kind::kAverage, nn::Window{.kernel = whole, .stride = whole});
          },
          [&](const nn::AdaptiveAvgPool2D&) {
            add(std::make_unique<AdaptivePooling>(Pooling::Kind::kAverage, layer.input,
                                                  layer.output));
          },
          [&](const nn::AdaptiveMaxPool2D&) {
            add(std::make_unique<AdaptivePooling>(Pooling::Kind::kMax, layer.input, layer.output));
          },
          [&](const nn::MaxPool3D& conf) { pool(Pooling::Kind::kMax, conf.window); },
          [&](const nn::AvgPool3D& conf) { pool(average_of(conf), conf.window); },
          [&](const nn::GlobalAvgPool3D&) {
            const nn::Extent3D whole{layer.input.depth, layer.input.height, layer.input.width};
            pool(Pooling::Kind::kAverage, nn::Window3D{.kernel = whole, .stride = whole});
          },
          [&](const nn::Conv1D& conf) {
            over_steps(conf.StepsInFront(), [&](const nn::InputType& in, const nn::InputType& out) {
              return std::make_unique<Convolution>(
                  weight(), bias(),
                  Convolution::Shape{conf.groups, OfVolumes(conf.window.As2D()), in, out});
            });
            activate(conf.activation);
          },
          [&](const nn::MaxPool1D& conf) {
            over_steps(0, [&](const nn::InputType& in, const nn::InputType& out) {
              return std::make_unique<Pooling>(
                  Pooling::Kind::kMax, Pooling::Shape{OfVolumes(conf.window.As2D()), in, out});
            });
          },
          [&](const nn::AvgPool1D& conf) {
            over_steps(0, [&](const nn::InputType& in, const nn::InputType& out) {
              return std::make_unique<Pooling>(
                  average_of(conf), Pooling::Shape{OfVolumes(conf.window.As2D()), in, out});
            });
          },
          [&](const nn::GlobalAvgPool1D&) {
            add(std::make_unique<GlobalSteps>(GlobalSteps::Kind::kMean, steps,
                                              layer.input.channels));
          },
          [&](const nn::GlobalMaxPool1D&) {
            add(std::make_unique<GlobalSteps>(GlobalSteps::Kind::kLargest, steps,
                                              layer.input.channels));
          },
          [&](const nn::ActivationLayer& conf) { activate(conf.activation); },
          [&](const nn::Dropout& conf) {
            add(std::make_unique<Dropout>(conf, layer.input, index));
          },
          [&](const nn::GaussianNoise& conf) {
            add(std::make_unique<GaussianNoise>(conf.deviation, index));
          },
          [&](const nn::GaussianSample& conf) {
            add(std::make_unique<GaussianSample>(conf.kl_weight, index));
          },
          [&](const nn::BatchNorm& conf) {
            const BatchNorm::Tensors tensors{TensorOf(layer, "gamma"), TensorOf(layer, "beta"),
                                             TensorOf(layer, "mean"), TensorOf(layer, "variance")};
            add(std::make_unique<BatchNorm>(tensors, conf, layer.input));
          },
          [](const nn::Flatten&) {},  // values are already in CHW order
          [](const nn::Reshape&) {},
          [&](const nn::Permute& conf) {
            std::vector<int64_t> order = conf.axes;
            for (int64_t& axis : order) --axis;
            add(std::make_unique<Permute>(layer.input.Shape(), order));
          },
          [&](const nn::Repeat& conf) { add(std::make_unique<Repeat>(conf.steps)); },
          [&](const nn::Subset& conf) {
            const int64_t row = layer.input.Elements() / steps, area = row / layer.input.channels;
            add_by_steps(std::make_unique<Subset>(
                Subset::Range{row, conf.from * area, (conf.to + 1) * area}));
          },
          [&](const nn::ScaleShift& conf) {
            add(std::make_unique<ScaleShift>(conf.factor, conf.shift));
          },
          [&](const nn::L2Normalize& conf) {
            add_by_steps(std::make_unique<L2Normalize>(layer.input.channels, conf.epsilon));
          },
          [&](const nn::Add&) { join(std::make_unique<Sum>()); },
          [&](const nn::Multiply&) { join(std::make_unique<Product>()); },
          [&](const nn::Average&) { join(std::make_unique<Mean>()); },
          [&](const nn::Maximum&) { join(std::make_unique<Maximum>()); },
          [&](const nn::Concat&) { join(std::make_unique<Concatenation>()); },
          [&](const nn::Stack&) { join(std::make_unique<Concatenation>()); },
          [&](const nn::LayerNorm& conf) {
            add_by_steps(
                std::make_unique<LayerNorm>(tensor("gamma"), tensor("beta"), conf.epsilon));
          },
          [&](const nn::GroupNorm& conf) { normalize_groups(conf.groups, conf.epsilon); },
          [&](const nn::InstanceNorm& conf) {
            normalize_groups(layer.input.channels, conf.epsilon);
          },
          [&](const nn::PRelu&) {
            const int64_t channels = layer.input.channels;
            const int64_t area = layer.input.Elements() / steps / channels;
            add_by_steps(std::make_unique<PRelu>(tensor("slope"), PRelu::Shape{channels, area}));
          },
          [&](const nn::RmsNorm& conf) {
            add_by_steps(std::make_unique<RmsNorm>(tensor("gamma"), conf.epsilon));
          },
          [&](const nn::Embedding& conf) {
            add(std::make_unique<Embedding>(weight(), conf.units));
          },
          [&](const nn::PositionalEmbedding&) {
            add(std::make_unique<PositionalEmbedding>(weight()));
          },
          [&](const nn::SimpleRnn& conf) {
            recur(conf, conf.units, [&](const std::string& prefix) {
              return std::make_unique<SimpleRnn>(
                  TensorOf(layer, prefix + "recurrent_weight"), tensor("state"),
                  SimpleRnn::Shape{steps, conf.units, conf.activation, dropout_of(conf, prefix)});
            });
          },
          [&](const nn::Gru& conf) {
            recur(conf, 3 * conf.units, [&](const std::string& prefix) {
              return std::make_unique<Gru>(
                  TensorOf(layer, prefix + "recurrent_weight"),
                  TensorOf(layer, prefix + "recurrent_bias"), tensor("state"),
                  Gru::Shape{steps, conf.units,
                             conf.reset_after ? Gru::Reset::kAfter : Gru::Reset::kBefore,
                             dropout_of(conf, prefix)});
            });
          },
          [&](const nn::Lstm& conf) {
            recur(conf, 4 * conf.units, [&](const std::string& prefix) {
              return std::make_unique<Recurrence>(
                  TensorOf(layer, prefix + "recurrent_weight"), tensor("state"), tensor("cell"),
                  Recurrence::Shape{steps, conf.units, conf.forget_bias, dropout_of(conf, prefix)});
            });
          },
          [&](const nn::LastStep&) { add(std::make_unique<LastStep>(steps)); },
          [&](const nn::SelfAttention& conf) {
            const int64_t features = layer.input.channels;
            add_by_steps(
                std::make_unique<Dense>(tensor("qkv_weight"), tensor("qkv_bias"), 3 * features));
            add(std::make_unique<Attention>(Attention::Shape{
                steps, features, conf.heads, conf.causal, weights_dropout_of(conf.dropout)}));
            add_by_steps(std::make_unique<Dense>(weight(), bias(), features));
          },
          [&](const nn::CrossAttention& conf) {
            const int64_t features = layer.input.channels;
            const int64_t key_steps = layer.other_inputs.front().Steps();
            const std::vector<size_t> read = reads;
            reads = {read[0]};
            add_by_steps(std::make_unique<Dense>(tensor("q_weight"), tensor("q_bias"), features));
            const size_t asks = reads.front();
            reads = {read[1]};
            add_node({.layer = std::make_unique<Dense>(tensor("kv_weight"), tensor("kv_bias"),
                                                       2 * features),
                      .rows = key_steps});
            reads = {asks, reads.front()};
            add_node({.join = std::make_unique<CrossAttention>(
                          CrossAttention::Shape{.query_steps = steps,
                                                .key_steps = key_steps,
                                                .features = features,
                                                .heads = conf.heads,
                                                .dropout = weights_dropout_of(conf.dropout)})});
            add_by_steps(std::make_unique<Dense>(weight(), bias(), features));
          },
          [&](const nn::LocalResponseNorm& conf) {
            add(std::make_unique<ResponseNorm>(conf, layer.input));
          },
          [&](const nn::TransposedConv2D& conf) {
            add(std::make_unique<TransposedConvolution>(
                weight(), bias(), TransposedConvolution::Shape{conf, layer.input, layer.output}));
            activate(conf.activation);
          },
          [&](const nn::Upsample2D& conf) {
            add(std::make_unique<MovedPixels>(MovedPixels::Shape{
                .input = layer.input, .output = layer.output, .scale = conf.scale}));
          },
          [&](const nn::ZeroPad2D& conf) {
            add(std::make_unique<MovedPixels>(
                MovedPixels::Shape{.input = layer.input,
                                   .output = layer.output,
                                   .begin = {conf.edges.top, conf.edges.left}}));
          },
          [&](const nn::Crop2D& conf) {
            add(std::make_unique<MovedPixels>(
                MovedPixels::Shape{.input = layer.input,
                                   .output = layer.output,
                                   .begin = {-conf.edges.top, -conf.edges.left}}));
          },
      },
      layer.conf);
  given_.push_back(reads.front());
}

}  // namespace dl::reference
