// What every layer config has in common. A layer config is a plain value that is also its own
// fluent builder; each type gives, besides its data:
//   kTag          its name in JSON, forever
//   kNamePrefix   of names given automatically: "conv" makes "conv1", "conv2", ...
//   kNeeds        which input it takes; an adapter is inserted where that is possible
//   kMaxInputs    how many; what is 1 for most has OutputType of one InputType, else of a span
//   kTakesVariableLength  whether it takes sequences whose lengths differ: because each step is
//                 computed by itself, or because it heeds the lengths
//   Fields        its keys (nn/conf/field.h), which are read, written, checked and listed by them
//   FinishRead    what a key that is left out takes from another one
//   Check         what is wrong with the values together, whether or not each alone is in its range
//   OutputType    the shape rule; a misfit is a mistake and nullopt
//   Parameters    its tensors, with initializers
//   Carried       what it carries of each example from one minibatch to the next, if it is told to
//   Samples       configs that the tests of round trips, keys and gradients run
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

// kRows: a flat vector, or a sequence, each step of which is taken by itself; an image or a volume
// is flattened first. kIndices: such rows whose values are indices, which the model's input alone
// has. kSpatial: an image or a volume.
enum class InputNeed : uint8_t { kAny, kRows, kIndices, kImage, kVolume, kSpatial, kSequence };

inline constexpr int64_t kMaxLayerInputs = 1024;
// What layers call the model's input where it has no name of its own.
inline constexpr std::string_view kInputName = "input";

// One tensor of a layer. Only weights have l1, l2, weight decay and a constraint: biases, gamma,
// beta and moments have none.
struct ParameterConf {
  std::string name;  // within the layer: "weight", "bias", "gamma", "beta", "mean", "variance"
  SegmentKind kind = SegmentKind::kParameter;
  std::vector<int64_t> shape;
  Initializer initializer;
  double l1 = 0;
  double l2 = 0;
  double weight_decay = 0;
  WeightConstraintConf weight_constraint = {};  // of each index of the first dimension
  double learning_rate_factor = 1;
  bool frozen = false;  // steps change neither it nor its updater state
  bool operator==(const ParameterConf&) const = default;
};

// What a layer carries of each row of a minibatch to the same row of the next one: a tensor [rows,
// features], zeros at first.
struct CarriedConf {
  std::string name;  // within the layer: "state", "cell"
  int64_t features = 0;
};

// The model's values, for layers that do not state their own.
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

  std::string name;                 // empty: given by Build()
  std::vector<std::string> inputs;  // layers before it, or inputs; empty: the one before
  std::string weights_of;           // a layer before it, which has them; empty: its own

  Self& Name(std::string value) {
    name = std::move(value);
    return static_cast<Self&>(*this);
  }
  Self& Inputs(std::vector<std::string> values) {
    inputs = std::move(values);
    return static_cast<Self&>(*this);
  }
  // Siamese branches, tied embeddings: what has the same name in both layers, and the same shape,
  // is one parameter, whose gradient is the sum of theirs. What the other layer lacks is its own.
  Self& WeightsOf(std::string layer) {
    weights_of = std::move(layer);
    return static_cast<Self&>(*this);
  }
  bool operator==(const NamedLayer&) const = default;

  // The output when nothing is known about the input: lets the checks go on behind a mistake.
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

// Keys of several layers, which mean the same in each.
inline constexpr Field kUnitsField{
    .key = "units",
    .what = "the number of units",
    .min = 1,
    .max = limits::kMaxExtent,
    .presence = Field::Presence::kRequired,
    .meaning = "Outputs of the layer; of the last one: classes or targets"};
inline constexpr Field kCausalField{.key = "causal",
                                    .meaning = "Whether a step sees no step behind it"};
inline constexpr Field kHeadsField{.key = "heads",
                                   .what = "the number of heads",
                                   .min = 1,
                                   .max = limits::kMaxExtent,
                                   .meaning = "Heads of an attention; they share its features"};
inline constexpr Field kAttentionDropoutField{
    .key = "dropout",
    .what = "the probability of dropping a weight of the attention",
    .max = 0.999999,
    .meaning =
        "Probability of dropping a weight of an attention, after its softmax, in training; below "
        "1"};
inline constexpr Field kBiasField{.key = "bias", .meaning = "Whether the layer adds a bias"};
inline constexpr Field kBiasInitField{
    .key = "bias_init",
    .what = "what biases start from",
    .min = -1000,
    .max = 1000,
    .meaning =
        "What biases start from, whatever the model's weight_init; 0 = as weight_init says, which "
        "is 0 except of pytorch"};
inline constexpr Field kVarianceEpsilonField{
    .key = "epsilon",
    .what = "epsilon",
    .min = 1e-12,
    .max = 1,
    .meaning =
        "Added to the variance, of rms_norm to the mean square, of l2_normalize to the sum "
        "of squares; 1e-05 by default, of l2_normalize 1e-12"};
inline constexpr Field kActivationField{
    .key = "activation",
    .meaning =
        "Function behind the layer, by default identity, of simple_rnn tanh; required for "
        "activation layers"};

inline constexpr Field kFrozenField{
    .key = "frozen",
    .meaning =
        "Whether steps leave the layer's parameters as they are; of batch_norm its moments "
        "too, which it then normalizes by in training as well"};

// The keys of weights. Absent (null in JSON): the model's value.
struct StartKeys {
  std::optional<WeightInitConf> weight_init;
  std::optional<double> l1;
  std::optional<double> l2;
  std::optional<double> weight_decay;
  std::optional<WeightConstraintConf> weight_constraint;
  double learning_rate_factor = 1;
  bool frozen = false;
  bool operator==(const StartKeys&) const = default;

  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "weight_init",
                .meaning = "How the layer's weights start; null = the model's way"},
          self.weight_init);
    visit(Field{.key = "l1",
                .what = "l1",
                .max = limits::kMaxCoefficient,
                .meaning = "The layer's own L1; null = the model's"},
          self.l1);
    visit(Field{.key = "l2",
                .what = "l2",
                .max = limits::kMaxCoefficient,
                .meaning = "The layer's own L2; null = the model's"},
          self.l2);
    visit(Field{.key = "weight_decay",
                .what = "weight decay",
                .max = limits::kMaxCoefficient,
                .meaning = "The layer's own weight decay; null = the model's"},
          self.weight_decay);
    visit(Field{.key = "weight_constraint",
                .meaning = "The layer's own weight constraint; null = the model's"},
          self.weight_constraint);
    visit(Field{.key = "learning_rate_factor",
                .what = "the learning rate's factor",
                .max = limits::kMaxCoefficient,
                .meaning = "Times the rate is the layer's rate"},
          self.learning_rate_factor);
    visit(kFrozenField, self.frozen);
  }
  struct Fans {
    int64_t in = 0, out = 0;
  };
  ParameterConf Weight(std::string name, std::vector<int64_t> shape, const Fans& fans,
                       const WeightDefaults& defaults) const;
  // What is added to what `fan_in` inputs give.
  ParameterConf Bias(std::string name, int64_t outputs, int64_t fan_in,
                     const WeightDefaults& defaults) const;
};

// Those of layers whose products may have a bias each. A bias_init that is not 0 is what all of
// them start from, also where the model's weight_init draws biases (PyTorch's way). Beside a
// weight_init of the layer itself that draws them it is a mistake, and so it is without a bias. Not
// of recurrent layers, whose biases are those of gates.
struct BiasKeys : StartKeys {
  bool bias = true;
  double bias_init = 0;
  bool operator==(const BiasKeys&) const = default;

  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kBiasField, self.bias);
    visit(kBiasInitField, self.bias_init);
    StartKeys::Fields(self, visit);
  }
  void CheckBias(Mistakes& mistakes) const;
  ParameterConf Bias(std::string name, int64_t outputs, int64_t fan_in,
                     const WeightDefaults& defaults) const;
};

// Those of layers that are a product with weights.
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
  // "weight" of `shape`, and "bias" of {shape[0]} unless it is off.
  std::vector<ParameterConf> WeightAndBias(std::vector<int64_t> shape, int64_t fan_in,
                                           int64_t fan_out, const WeightDefaults& defaults) const;
};

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

// Of layers whose parameters are no weights, but scales, shifts or slopes.
template <typename Self>
struct LayerWithScales : NamedLayer<Self> {
  bool frozen = false;

  Self& Frozen() {
    frozen = true;
    return static_cast<Self&>(*this);
  }
  bool operator==(const LayerWithScales&) const = default;
};

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

template <typename Self>
struct WeightedLayer : LayerWithBias<Self, WeightKeys> {
  Self& Activation(ActivationConf value) {
    this->activation = value;
    return this->self();
  }
  bool operator==(const WeightedLayer&) const = default;
};

}  // namespace dl::nn
