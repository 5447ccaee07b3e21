// Common parts of all layer configs. A layer config is a plain value and its own fluent builder.
// Each type defines, besides its data:
//   kTag          its name in JSON; must never change.
//   kNamePrefix   prefix of automatic names: "conv" gives "conv1", "conv2", ...
//   kNeeds        the kind of input that it needs (InputNeed).
//   kMaxInputs    the largest number of inputs. OutputType takes one type if it is 1, else a span;
//                 such a layer must have at least two inputs.
//   kTakesVariableLength  whether it accepts sequences of variable length, because it computes
//                 each step separately or uses the lengths.
//   Fields        its keys (nn/conf/field.h), from which reading, writing and checking follow.
//   FinishRead    derives keys that were left out from other keys.
//   Check         adds mistakes in combinations of values, in addition to the checks of each key.
//   OutputType    infers the output type, or adds a mistake and returns nullopt.
//   Parameters    its tensors, with initializers.
//   Carried       the states that it carries from one minibatch to the next, if it is stateful.
//   Samples       configs for the tests of round trips, keys and gradients.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/limits.h"
#include "base/segment_table.h"
#include "nn/conf/activation.h"
#include "nn/conf/input_type.h"
#include "nn/conf/mistakes.h"
#include "nn/conf/weight_constraint.h"
#include "nn/conf/weight_init.h"

namespace dl::nn {

// Kind of input that a layer needs. kRows: a flat vector, or a sequence whose steps are processed
// separately. An image or volume is flattened first by an adapter, which is the only conversion;
// any other input of another kind is a mistake. kIndices: rows whose values are indices, which only
// inputs of the model have. kSpatial: an image or a volume.
enum class InputNeed : uint8_t { kAny, kRows, kIndices, kImage, kVolume, kSpatial, kSequence };

inline constexpr int64_t kMaxLayerInputs = 1024;
// Name by which layers read the model's input if it has no name.
inline constexpr std::string_view kInputName = "input";

// A tensor of a layer. Only weights have l1, l2, weight decay and a constraint; biases, gamma, beta
// and moments do not.
struct ParameterConf {
  std::string name;  // within the layer, such as "weight", "gamma" or "q_bias"
  SegmentKind kind = SegmentKind::kParameter;
  std::vector<int64_t> shape;
  Initializer initializer;
  double l1 = 0;
  double l2 = 0;
  double weight_decay = 0;
  WeightConstraintConf weight_constraint = {};  // applied to each index of the first dimension
  double learning_rate_factor = 1;
  bool frozen = false;  // steps change neither the tensor nor its updater state
  bool operator==(const ParameterConf&) const = default;
};

// A state that a layer carries from each row of a minibatch to the same row of the next: a tensor
// [rows, features] that begins with zeros.
struct CarriedConf {
  std::string name;  // within the layer: "state", "cell"
  int64_t features = 0;
};

// The model's values, used by layers that do not state their own.
struct WeightDefaults {
  WeightInitConf weight_init;
  double l2 = 0;
  double weight_decay = 0;
  double l1 = 0;
  WeightConstraintConf weight_constraint;
};

template <typename Self>
struct NamedLayer {
  static constexpr int64_t kMaxInputs = 1;
  static constexpr bool kTakesVariableLength = false;

  // At most limits::kMaxName letters, digits, _ and -, a letter first. Empty: Build() chooses one.
  std::string name;
  // Layers before it, or inputs of the model. Empty: the layer before it, or for the first layer
  // the model's only input.
  std::vector<std::string> inputs;
  std::string weights_of;  // a layer before it whose weights it shares; empty: it owns its weights

  Self& Name(std::string value) {
    name = std::move(value);
    return static_cast<Self&>(*this);
  }
  Self& Inputs(std::vector<std::string> values) {
    inputs = std::move(values);
    return static_cast<Self&>(*this);
  }
  // Shares weights with another layer, for siamese branches or tied embeddings. Parameters with the
  // same name in both layers become one parameter. Its gradient is the sum over all layers that use
  // it. Shapes must agree. The layer owns parameters that the other layer lacks. It must not state
  // how its weights start or change (nn/conf/shared_weights.h).
  Self& WeightsOf(std::string layer) {
    weights_of = std::move(layer);
    return static_cast<Self&>(*this);
  }
  bool operator==(const NamedLayer&) const = default;

  // Returns an output type for an unknown input, or nullopt. It is flat also in layers whose output
  // is a sequence if the input is a sequence. Used only to continue the checks after a mistake.
  std::optional<InputType> OutputWithoutInput() const { return std::nullopt; }
  void Check(Mistakes&) const {}
  std::vector<ParameterConf> Parameters(const InputType&, const WeightDefaults&) const {
    return {};
  }
  std::vector<CarriedConf> Carried() const { return {}; }
  void FinishRead(JsonObjectReader&) {}
  template <typename Layer, typename Visit>
  static void Fields(Layer&, Visit&&) {}
};

// Keys that several layers have.
inline constexpr Field kUnitsField{
    .key = "units",
    .what = "the number of units",
    .min = 1,
    .max = limits::kMaxExtent,
    .presence = Field::Presence::kRequired,
    .meaning = "Number of outputs of the layer. In the last layer: number of classes or targets"};
inline constexpr Field kCausalField{.key = "causal",
                                    .meaning = "Whether a step uses only itself and earlier steps"};
inline constexpr Field kHeadsField{
    .key = "heads",
    .what = "the number of heads",
    .min = 1,
    .max = limits::kMaxExtent,
    .meaning = "Number of attention heads. The features are divided among them"};
inline constexpr Field kAttentionDropoutField{
    .key = "dropout",
    .what = "the probability of dropping a weight of the attention",
    .max = 0.999999,
    .meaning =
        "Probability of dropping an attention weight after the softmax, in training. Below 1"};
inline constexpr Field kBiasField{.key = "bias", .meaning = "Whether the layer adds a bias"};
inline constexpr Field kBiasInitField{
    .key = "bias_init",
    .what = "what biases start from",
    .min = -1000,
    .max = 1000,
    .meaning = "Initial value of biases; 0 = as weight_init says (0, except for pytorch)"};
inline constexpr Field kVarianceEpsilonField{
    .key = "epsilon",
    .what = "epsilon",
    .min = 1e-12,
    .max = 1,
    .meaning =
        "Added to the variance (rms_norm: mean square; l2_normalize: sum of squares). Default: "
        "1e-05; l2_normalize: 1e-12"};
inline constexpr Field kActivationField{.key = "activation",
                                        .meaning =
                                            "Function applied to the output. Default: identity; "
                                            "simple_rnn: tanh. Required for activation layers"};

inline constexpr Field kFrozenField{.key = "frozen",
                                    .meaning =
                                        "Whether training leaves the parameters unchanged. "
                                        "batch_norm also keeps and uses its moments"};

// Keys of weights: how they start, and how steps change them. An absent key (null in JSON) means
// the model's value.
struct StartKeys {
  std::optional<WeightInitConf> weight_init;
  std::optional<double> l1;            // 0 to limits::kMaxCoefficient
  std::optional<double> l2;            // 0 to limits::kMaxCoefficient
  std::optional<double> weight_decay;  // 0 to limits::kMaxCoefficient
  std::optional<WeightConstraintConf> weight_constraint;
  double learning_rate_factor = 1;  // 0 to limits::kMaxCoefficient
  bool frozen = false;
  bool operator==(const StartKeys&) const = default;

  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "weight_init",
                .meaning = "Initialization of the layer's weights; null = the model's"},
          self.weight_init);
    visit(Field{.key = "l1",
                .what = "l1",
                .max = limits::kMaxCoefficient,
                .meaning = "L1 of the layer; null = the model's"},
          self.l1);
    visit(Field{.key = "l2",
                .what = "l2",
                .max = limits::kMaxCoefficient,
                .meaning = "L2 of the layer; null = the model's"},
          self.l2);
    visit(Field{.key = "weight_decay",
                .what = "weight decay",
                .max = limits::kMaxCoefficient,
                .meaning = "Weight decay of the layer; null = the model's"},
          self.weight_decay);
    visit(Field{.key = "weight_constraint",
                .meaning = "Weight constraint of the layer; null = the model's"},
          self.weight_constraint);
    visit(Field{.key = "learning_rate_factor",
                .what = "the learning rate's factor",
                .max = limits::kMaxCoefficient,
                .meaning = "Factor of the learning rate for this layer"},
          self.learning_rate_factor);
    visit(kFrozenField, self.frozen);
  }
  struct Fans {
    int64_t in = 0, out = 0;
  };
  // Returns the weight `name` of `shape`, with the values of these keys or of `defaults`.
  ParameterConf Weight(std::string name, std::vector<int64_t> shape, const Fans& fans,
                       const WeightDefaults& defaults) const;
  // Returns the bias of a product with `fan_in` inputs.
  ParameterConf Bias(std::string name, int64_t outputs, int64_t fan_in,
                     const WeightDefaults& defaults) const;
};

// Keys of layers whose products may have a bias. If bias_init is not 0, all biases begin with it,
// even if the model's weight_init draws biases (PyTorch). It is a mistake together with `bias`
// false, or with a weight_init of the layer that draws biases. Recurrent layers do not have these
// keys, because their biases belong to gates.
struct BiasKeys : StartKeys {
  bool bias = true;
  double bias_init = 0;  // -1000 to 1000
  bool operator==(const BiasKeys&) const = default;

  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kBiasField, self.bias);
    visit(kBiasInitField, self.bias_init);
    StartKeys::Fields(self, visit);
  }
  // Adds mistakes in combinations of bias, bias_init and weight_init.
  void CheckBias(Mistakes& mistakes) const;
  ParameterConf Bias(std::string name, int64_t outputs, int64_t fan_in,
                     const WeightDefaults& defaults) const;
};

// Keys of layers that are a product with weights, followed by an activation.
struct WeightKeys : BiasKeys {
  ActivationConf activation;
  bool operator==(const WeightKeys&) const = default;

  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kBiasField, self.bias);
    visit(kBiasInitField, self.bias_init);
    visit(kActivationField, self.activation);
    StartKeys::Fields(self, visit);
  }
  // Returns "weight" of `shape`, and "bias" of {shape[0]} if the layer has a bias.
  std::vector<ParameterConf> WeightAndBias(std::vector<int64_t> shape, int64_t fan_in,
                                           int64_t fan_out, const WeightDefaults& defaults) const;
};

// Base of layers with weights: the functions that set the keys of StartKeys.
template <typename Self, typename Keys = StartKeys>
struct LayerWithWeights : NamedLayer<Self>, Keys {
  Self& WeightInit(WeightInitConf value) {
    this->weight_init = value;
    return self();
  }
  Self& L1(double value) {
    this->l1 = value;
    return self();
  }
  Self& L2(double value) {
    this->l2 = value;
    return self();
  }
  Self& WeightDecay(double value) {
    this->weight_decay = value;
    return self();
  }
  Self& WeightConstraint(WeightConstraintConf value) {
    this->weight_constraint = value;
    return self();
  }
  Self& LearningRateFactor(double value) {
    this->learning_rate_factor = value;
    return self();
  }
  Self& Frozen() {
    this->frozen = true;
    return self();
  }
  bool operator==(const LayerWithWeights&) const = default;

 protected:
  Self& self() { return static_cast<Self&>(*this); }
};

// Base of layers whose parameters are not weights but scales, shifts or slopes.
template <typename Self>
struct LayerWithScales : NamedLayer<Self> {
  bool frozen = false;

  Self& Frozen() {
    frozen = true;
    return static_cast<Self&>(*this);
  }
  bool operator==(const LayerWithScales&) const = default;
};

// Base of layers whose products may have a bias.
template <typename Self, typename Keys = BiasKeys>
struct LayerWithBias : LayerWithWeights<Self, Keys> {
  Self& NoBias() {
    this->bias = false;
    return this->self();
  }
  Self& BiasInit(double value) {
    this->bias_init = value;
    return this->self();
  }
  bool operator==(const LayerWithBias&) const = default;
  void Check(Mistakes& mistakes) const { this->CheckBias(mistakes); }
};

// Base of layers that are a product with weights, followed by an activation.
template <typename Self>
struct WeightedLayer : LayerWithBias<Self, WeightKeys> {
  Self& Activation(ActivationConf value) {
    this->activation = value;
    return this->self();
  }
  bool operator==(const WeightedLayer&) const = default;
};

}  // namespace dl::nn
