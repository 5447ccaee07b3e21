// Layers that bring several inputs of one shape together, value by value.
#pragma once

#include <span>

#include "nn/conf/layers/layer.h"

namespace dl::nn {

struct LayerSample;

// The shape that all inputs have; `does` is what the layer does with them, for the mistake.
std::optional<InputType> OneShapeOf(std::string_view does, std::span<const InputType> inputs,
                                    Mistakes& mistakes);

// `Self` has kDoes.
template <typename Self>
struct ElementwiseLayer : NamedLayer<Self> {
  static constexpr InputNeed kNeeds = InputNeed::kAny;
  static constexpr bool kTakesVariableLength = true;
  static constexpr int64_t kMaxInputs = kMaxLayerInputs;

  bool operator==(const ElementwiseLayer&) const = default;
  std::optional<InputType> OutputType(std::span<const InputType> inputs, Mistakes& mistakes) const {
    return OneShapeOf(Self::kDoes, inputs, mistakes);
  }
  static std::vector<LayerSample> Samples();
};

// The sum: a residual connection (He et al., CVPR 2016, section 3.2).
struct Add : ElementwiseLayer<Add> {
  static constexpr std::string_view kTag = "add";
  static constexpr std::string_view kNamePrefix = "add";
  static constexpr std::string_view kDoes = "adds";
  bool operator==(const Add&) const = default;
};

// The product: a gate (Dauphin et al., "Language modeling with gated convolutional networks", ICML
// 2017, equation 1). Its gradient by an input is the output's times all other inputs.
struct Multiply : ElementwiseLayer<Multiply> {
  static constexpr std::string_view kTag = "multiply";
  static constexpr std::string_view kNamePrefix = "multiply";
  static constexpr std::string_view kDoes = "multiplies";
  bool operator==(const Multiply&) const = default;
};

// The sum divided by the number of inputs.
struct Average : ElementwiseLayer<Average> {
  static constexpr std::string_view kTag = "average";
  static constexpr std::string_view kNamePrefix = "average";
  static constexpr std::string_view kDoes = "averages";
  bool operator==(const Average&) const = default;
};

// The largest (Goodfellow et al., "Maxout networks", ICML 2013, section 3, of layers for the
// pieces). The whole gradient goes to the input that has it, of equal ones to the first that is
// named, as max-pooling gives it to the lowest index; PyTorch's maximum gives half to each of two.
// A value that is no number is the largest.
struct Maximum : ElementwiseLayer<Maximum> {
  static constexpr std::string_view kTag = "maximum";
  static constexpr std::string_view kNamePrefix = "maximum";
  static constexpr std::string_view kDoes = "takes the largest of";
  bool operator==(const Maximum&) const = default;
};

}  // namespace dl::nn
