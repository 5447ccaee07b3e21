// A layer that ends a model: a dense layer with a loss (nn/conf/losses). For a sequence, each step
// has a label and a loss, unless the loss compares whole sequences (ctc). Some losses contain a
// link function, such as the softmax of softmax cross-entropy. The layer then computes logits, its
// activation must be the identity, and predictions are the link function of the logits.
//
// Outputs may be compared with the model's input instead of labels, as in an autoencoder (Hinton,
// Salakhutdinov, Science 313, 2006): value by value with the normalized and augmented example,
// row-major. Labels are then ignored, and likewise by losses that compare with nothing, such as
// triplet.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/limits.h"
#include "nn/conf/layers/layer_base.h"
#include "nn/conf/losses/loss_registry.h"
#include "nn/conf/words.h"

namespace dl::nn {

struct LayerSample;

enum class ComparedWith : uint8_t { kLabels, kInput };
template <>
struct WordsOf<ComparedWith> {
  static constexpr std::string_view kWords[] = {"labels", "input"};
};

// Keys of layers with a loss. A model may have several such layers, which are its outputs. Training
// minimizes the sum of their losses, each times its weight. The model's last layer gives its
// predictions and its accuracy. No layer reads an earlier output. nn/conf/model_outputs.h describes
// the labels of several outputs.
template <typename Self>
struct LossKeys {
  LossConf loss;
  ComparedWith compared_with = ComparedWith::kLabels;
  double loss_weight = 1;                // 0 to limits::kMaxCoefficient; 0 = measured only
  std::optional<std::string> labels_of;  // an output before it; absent: labels of its own

  Self& ComparedWithInput() {
    compared_with = ComparedWith::kInput;
    return static_cast<Self&>(*this);
  }
  Self& LossWeight(double value) {
    loss_weight = value;
    return static_cast<Self&>(*this);
  }
  // Compares with the labels of `output`, for auxiliary classifiers (Szegedy et al., CVPR 2015).
  Self& LabelsOf(std::string output) {
    labels_of = std::move(output);
    return static_cast<Self&>(*this);
  }
  bool operator==(const LossKeys&) const = default;

  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "loss", .presence = Field::Presence::kRequired, .meaning = "Loss function"},
          self.loss);
    visit(Field{.key = "compared_with",
                .meaning = "Targets of the loss: the labels of the data, or the model's input (for "
                           "autoencoders)"},
          self.compared_with);
    visit(Field{.key = "loss_weight",
                .what = "the loss's weight",
                .max = limits::kMaxCoefficient,
                .meaning = "Weight of this output's loss in the sum of losses; 0 = only measured"},
          self.loss_weight);
    visit(Field{.key = "labels_of",
                .what = "an output's name",
                .max = limits::kMaxName,
                .meaning = "Name of an earlier output whose labels this output shares; null = "
                           "labels of its own"},
          self.labels_of);
  }
};

struct Output : WeightedLayer<Output>, LossKeys<Output> {
  static constexpr std::string_view kTag = "output";
  static constexpr std::string_view kNamePrefix = "output";
  static constexpr InputNeed kNeeds = InputNeed::kRows;
  static constexpr bool kTakesVariableLength = true;

  Output() = default;
  explicit Output(int64_t unit_count) : units(unit_count) {}
  Output& Loss(LossConf value) {
    loss = value;
    return *this;
  }

  int64_t units = 0;  // classes, or numbers to predict; 1 to limits::kMaxExtent; required

  bool operator==(const Output&) const = default;
  // Returns whether the data's labels are used.
  bool IsComparedWithLabels() const {
    return compared_with == ComparedWith::kLabels &&
           nn::LabelsOf(loss).kind != Labels::Kind::kNothing;
  }
  // Adds the mistakes of CheckBias and CheckJudged. Also adds a mistake if the output is compared
  // with the input but its loss compares with classes or with nothing.
  void Check(Mistakes& mistakes) const;
  // Returns `units` features, for each step if the input is a sequence. Adds no mistake.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  std::optional<InputType> OutputWithoutInput() const { return FeedForward(units); }
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kUnitsField, self.units);
    LossKeys::Fields(self, visit);
    WeightKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
