#include "nn/conf/step_cost.h"

#include <algorithm>
#include <vector>

#include "base/overloaded.h"
#include "base/segment_table.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/layer_flops.h"

namespace dl::nn {
namespace {

constexpr double kValueBytes = sizeof(float);

bool HasTrainedParameter(const LayerConfig& layer) {
  // A shared parameter is trained with its owner.
  return !layer.shared.empty() ||
         std::ranges::any_of(layer.parameters, [](const ParameterConf& parameter) {
           return parameter.kind == SegmentKind::kParameter && !parameter.frozen;
         });
}

// Returns the share of a layer's products that multiply its input. The other products multiply
// values that the layer computes, so the backward pass always needs their gradients.
double ShareOfInput(const LayerConfig& layer) {
  const auto inputs = static_cast<double>(layer.input.channels);
  const auto recurrent = [&](int64_t units) {
    return inputs / (inputs + static_cast<double>(units));
  };
  return std::visit(Overloaded{[&](const SimpleRnn& conf) { return recurrent(conf.units); },
                               [&](const Gru& conf) { return recurrent(conf.units); },
                               [&](const Lstm& conf) { return recurrent(conf.units); },
                               [&](const SelfAttention&) {
                                 const auto steps = static_cast<double>(layer.input.Steps());
                                 return 2 * 3 * steps * inputs * inputs / FlopsOf(layer).unpadded;
                               },
                               [](const auto&) { return 1.0; }},
                    layer.conf);
}

// Returns the number of values per example that a layer stores for the backward pass or for the
// next layer.
double StoredValues(const LayerConfig& layer) {
  const auto output = static_cast<double>(layer.output.Elements());
  const auto rows = static_cast<double>(layer.output.Steps());
  const auto recurrent = [&](const RecurrentKeys& conf, int64_t units, double per_unit) {
    const double directions = conf.IsBidirectional() ? 2 : 1;
    return directions * static_cast<double>(layer.input.Steps() * units) * per_unit;
  };
  return std::visit(
      Overloaded{
          // The gates, and the state; an LSTM has a cell too.
          [&](const SimpleRnn& conf) { return recurrent(conf, conf.units, 1); },
          [&](const Gru& conf) { return recurrent(conf, conf.units, Gru::kGates + 1); },
          [&](const Lstm& conf) { return recurrent(conf, conf.units, Lstm::kGates + 2); },
          // Queries, keys and values, the answers of the heads, and the output.
          [&](const SelfAttention&) {
            return 5 * rows * static_cast<double>(layer.input.channels);
          },
          [&](const CrossAttention&) {
            return 3 * output + 2 * static_cast<double>(layer.other_inputs.front().Elements());
          },
          [](const ActivationLayer&) { return 0.0; }, [](const PRelu&) { return 0.0; },
          [](const Dropout&) { return 0.0; }, [](const GaussianNoise&) { return 0.0; },
          [](const Add&) { return 0.0; }, [](const Flatten&) { return 0.0; },
          [](const Reshape&) { return 0.0; }, [](const LossLayer&) { return 0.0; },
          [](const PositionalEmbedding&) { return 0.0; }, [&](const auto&) { return output; }},
      layer.conf);
}

// Returns whether a layer computes each row of its output from the same row of its input.
bool ComputesRowsSeparately(const LayerConfig& layer) {
  if (layer.input.Steps() != layer.output.Steps() || layer.reads.size() != 1) return false;
  return std::visit(
      Overloaded{[](const Dense&) { return true; }, [](const Output&) { return true; },
                 [](const LayerNorm&) { return true; }, [](const RmsNorm&) { return true; },
                 [](const ActivationLayer&) { return true; }, [](const Dropout&) { return true; },
                 [](const auto&) { return false; }},
      layer.conf);
}

// Returns the index of the first of the layers at the end of a model with one output that compute
// each row separately. Each of them is read only by the next, because no other value reaches the
// output.
size_t FirstOfSeparateRows(const ModelConfig& model) {
  size_t first = model.layers.size();
  const auto outputs = std::ranges::count_if(
      model.layers, [](const LayerConfig& layer) { return EndsModel(layer.conf); });
  while (outputs == 1 && first > 0 && ComputesRowsSeparately(model.layers[first - 1])) --first;
  return first;
}

// Returns the bytes of all trained parameters.
double BytesOfTrained(const ModelConfig& model) {
  double trained = 0;
  for (const LayerConfig& layer : model.layers) {
    for (const ParameterConf& parameter : layer.parameters) {
      if (parameter.kind != SegmentKind::kParameter || parameter.frozen) continue;
      double size = 1;
      for (const int64_t extent : parameter.shape) size *= static_cast<double>(extent);
      trained += size;
    }
  }
  return trained * kValueBytes;
}

}  // namespace

StepCost CostOfStep(const ModelConfig& model, const StepSize& size) {
  const double trained_bytes = BytesOfTrained(model);
  const auto states = static_cast<double>(StateNamesOf(model.updater).size());
  const double norm_reads = model.clip_gradients_by_norm > 0 ? 1 : 0;
  StepCost cost{.update_bytes = trained_bytes * (3 + 2 * states + norm_reads),
                .update_storage = trained_bytes * (2 + states)};
  const auto examples = static_cast<double>(size.examples);
  const size_t separate = FirstOfSeparateRows(model);
  std::vector<bool> trained(model.layers.size());  // the layer, or a layer before it
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const LayerConfig& layer = model.layers[i];
    const bool needs_input_gradient =
        std::ranges::any_of(layer.reads, [&](int read) { return !IsInput(read) && trained[read]; });
    const bool has_trained = HasTrainedParameter(layer);
    trained[i] = needs_input_gradient || has_trained;
    double passes = 1;  // forward
    if (has_trained) passes += 1;
    if (needs_input_gradient) {
      passes += 1;
    } else if (has_trained) {
      passes += 1 - ShareOfInput(layer);
    }
    const double rows = examples * (i >= separate ? size.labelled : 1);
    cost.layer_flops.push_back(rows * passes * FlopsOf(layer).unpadded);
    cost.flops += cost.layer_flops.back();
    cost.activation_bytes += rows * kValueBytes * StoredValues(layer);
  }
  return cost;
}

}  // namespace dl::nn
