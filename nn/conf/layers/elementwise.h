// Layers that combine several inputs of the same shape, value by value.
#pragma once

#include <span>

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

// Returns the shape that all inputs have. Adds a mistake and returns nullopt if they differ; `does`
// names the operation in the message.
std::optional<InputType> OneShapeOf(std::string_view does, std::span<const InputType> inputs,
                                    Mistakes& mistakes);

// `Self` must define kDoes, the operation in error messages.
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

// The sum of all inputs: a residual connection (He et al., CVPR 2016, section 3.2).
struct Add : ElementwiseLayer<Add> {
  static constexpr std::string_view kTag = "add";
  static constexpr std::string_view kNamePrefix = "add";
  static constexpr std::string_view kDoes = "adds";
  bool operator==(const Add&) const = default;
};

// The product of all inputs: a gate (Dauphin et al., "Language modeling with gated convolutional
// networks", ICML 2017, equation 1). The gradient of an input is the output's gradient times all
// other inputs.
struct Multiply : ElementwiseLayer<Multiply> {
  static constexpr std::string_view kTag = "multiply";
  static constexpr std::string_view kNamePrefix = "multiply";
  static constexpr std::string_view kDoes = "multiplies";
  bool operator==(const Multiply&) const = default;
};

// The sum of all inputs divided by their number.
struct Average : ElementwiseLayer<Average> {
  static constexpr std::string_view kTag = "average";
  static constexpr std::string_view kNamePrefix = "average";
  static constexpr std::string_view kDoes = "averages";
  bool operator==(const Average&) const = default;
};

// The maximum of all inputs (Goodfellow et al., "Maxout networks", ICML 2013, section 3, with
// layers as the pieces). The gradient goes to the input that has the maximum. For equal values it
// goes to the input that is named first, as in max-pooling; PyTorch's maximum gives half to each of
// two. NaN counts as the maximum.
struct Maximum : ElementwiseLayer<Maximum> {
  static constexpr std::string_view kTag = "maximum";
  static constexpr std::string_view kNamePrefix = "maximum";
  static constexpr std::string_view kDoes = "takes the largest of";
  bool operator==(const Maximum&) const = default;
};

}  // namespace dl::nn
