#include "nn/conf/network_memory.h"

#include <algorithm>
#include <cmath>

namespace dl::nn {
namespace {

// Counts are doubles: they cannot overflow, and a bound needs no last digit.
constexpr double kFloat = sizeof(float);
constexpr int64_t kProcessBytes = 20 << 20;  // of oneDNN itself, and of threads
constexpr int64_t kLayerBytes = 256 << 10;   // of compiled code and its descriptions
constexpr double kVector =
    16;  // floats of the longest one: kernels lay channels out in such blocks

double RoundUp(double value, double multiple) { return std::ceil(value / multiple) * multiple; }
double Area(const InputType& type) {
  return static_cast<double>(type.height) * static_cast<double>(type.width);
}
double Taps(const Window& window) {
  return static_cast<double>(window.kernel.height) * static_cast<double>(window.kernel.width);
}

// Values of one example between layers, as kernels lay them out.
double Padded(const InputType& type) {
  return RoundUp(static_cast<double>(type.channels), kVector) * Area(type);
}

bool IsProduct(const LayerConf& conf) {
  return std::holds_alternative<Dense>(conf) || std::holds_alternative<Output>(conf) ||
         std::holds_alternative<Conv2D>(conf);
}

double PaddedWeights(const LayerConfig& layer) {
  const auto in = static_cast<double>(layer.input.channels);
  const auto out = static_cast<double>(layer.output.channels);
  const auto* conv = std::get_if<Conv2D>(&layer.conf);
  if (conv == nullptr) {
    // AVX-512's kernels of inner products take up to four vectors of outputs at once.
    const double block = out >= 4 * kVector   ? 4 * kVector
                         : out >= 2 * kVector ? 2 * kVector
                                              : kVector;
    return RoundUp(static_cast<double>(layer.input.Elements()), kVector) * RoundUp(out, block);
  }
  const auto groups = static_cast<double>(conv->groups);
  if (conv->groups == layer.input.channels)  // blocks of groups
    return RoundUp(groups, kVector) * (out / groups) * Taps(conv->window);
  return groups * RoundUp(in / groups, kVector) * RoundUp(out / groups, kVector) *
         Taps(conv->window);
}

ActivationKind ActivationOf(const LayerConf& conf) {
  if (const auto* layer = std::get_if<Dense>(&conf)) return layer->activation.kind;
  if (const auto* layer = std::get_if<Conv2D>(&conf)) return layer->activation.kind;
  if (const auto* layer = std::get_if<Output>(&conf)) return layer->activation.kind;
  if (const auto* layer = std::get_if<ActivationLayer>(&conf)) return layer->activation.kind;
  return ActivationKind::kIdentity;
}

// Of one layer, in floats, for one minibatch.
struct LayerMemory {
  double kept = 0;     // from its forward to its backward step
  double passing = 0;  // in one of these steps only: gradients, copies in other layouts, scratch
};

LayerMemory MemoryOf(const LayerConfig& layer, double in, const NetworkShape& shape) {
  const auto batch = static_cast<double>(shape.max_batch);
  const auto threads = static_cast<double>(shape.threads);
  constexpr double kScratch = 16 << 10;  // of each thread of small kernels
  const double out = Padded(layer.output) * batch;
  LayerMemory memory{.kept = out, .passing = in + 2 * out + threads * kScratch};
  if (const auto* conv = std::get_if<Conv2D>(&layer.conf)) {
    // Each of its kernels may want its own layout of everything.
    memory.passing += in + out + (2 + threads) * PaddedWeights(layer);
    // Those that multiply matrices unfold an image.
    memory.passing += threads * static_cast<double>(layer.input.channels) /
                      static_cast<double>(conv->groups) * Taps(conv->window) * Area(layer.output);
  } else if (IsProduct(layer.conf)) {
    memory.passing += in + 2 * PaddedWeights(layer);  // its own gradient, and other layouts
    memory.passing += threads * 4 * static_cast<double>(layer.input.Elements());
  } else if (std::holds_alternative<Dropout>(layer.conf)) {
    memory.kept += out;  // the mask
  }
  const ActivationKind activation = ActivationOf(layer.conf);
  const bool in_plain_layout =
      activation == ActivationKind::kSigmoid || activation == ActivationKind::kSoftmax;
  if (layer.output.IsImage() && in_plain_layout) {
    memory.kept += out;
    memory.passing += out;
  }
  return memory;
}

int64_t Bytes(double floats) {
  return static_cast<int64_t>(std::min(floats * kFloat, static_cast<double>(kMaxNetworkBytes)));
}

}  // namespace

NetworkMemory NetworkMemoryAtMost(const ModelConfig& model, const NetworkShape& shape) {
  constexpr int64_t kFewChannels = 4;  // of an image as it comes, which no kernel pads
  constexpr double kHoles = 1.2;       // between buffers that live at different times
  const auto batch = static_cast<double>(shape.max_batch);
  double kept = static_cast<double>(model.input.Elements()) * batch, peak = kept, weights = 0;
  bool trained = false;  // a layer before has parameters
  bool as_it_comes = model.input.channels <= kFewChannels;
  for (const LayerConfig& layer : model.layers) {
    const double in =
        batch * (as_it_comes ? static_cast<double>(layer.input.Elements()) : Padded(layer.input));
    LayerMemory memory = MemoryOf(layer, in, shape);
    // Nobody wants the gradient by the data: the first dense layer has no other layout of its
    // weights.
    if (IsProduct(layer.conf)) {
      const double own = PaddedWeights(layer);
      if (!trained && !std::holds_alternative<Conv2D>(layer.conf)) memory.passing -= 2 * own;
      weights += own + RoundUp(static_cast<double>(layer.output.channels), kVector);
      as_it_comes = false;
    } else if (std::holds_alternative<BatchNorm>(layer.conf)) {
      weights += 4 * RoundUp(static_cast<double>(layer.input.channels), kVector);
    }
    if (!trained && layer.parameters.empty()) {
      // It has no backward step, so only its output stays, for the layer behind it.
      peak = std::max(peak, kept + 2 * memory.kept);
      kept = batch * Padded(layer.output);
      continue;
    }
    trained = true;
    kept += memory.kept;
    peak = std::max(peak, kept + memory.passing);
  }
  const auto states = static_cast<double>(StateNamesOf(model.updater).size());
  double tensors = (2 + states) * weights;  // and their gradients
  if (model.clip_gradients_by_norm > 0) tensors += static_cast<double>(model.ParameterCount());
  return {.tensors = Bytes(tensors),
          .arena = Bytes(peak * kHoles),
          .kernels = kProcessBytes + kLayerBytes * static_cast<int64_t>(model.layers.size())};
}

}  // namespace dl::nn
