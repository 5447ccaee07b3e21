// A layer that ends a model: a dense layer with a loss (nn/conf/losses). Behind a sequence it
// judges each step, which has a label of its own. Where a function belongs to the loss, as the
// softmax to softmax cross-entropy, the layer computes the logits (its activation stays identity)
// and predictions are that function of them. Outputs may also be compared with what the model read,
// as an autoencoder's are (Hinton, Salakhutdinov, Science 313, 2006): value by value with one
// example of its input, row-major, normalized and augmented; labels are not looked at then, nor
// where the loss compares with nothing, as triplet does.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/limits.h"
#include "nn/conf/layers/layer.h"
#include "nn/conf/losses/registry.h"
#include "nn/conf/words.h"

namespace dl::nn {

struct LayerSample;

enum class ComparedWith : uint8_t { kLabels, kInput };
template <>
struct WordsOf<ComparedWith> {
  static constexpr std::string_view kWords[] = {"labels", "input"};
};

// The keys of layers with a loss. A model may have several, which are its outputs: what a step
// minimizes is the sum of their losses, each times its weight. The model's last layer is the one by
// whose predictions it is known, and by whose accuracy; an output that stands before it is read by
// no other layer. What an example's labels are for several outputs says nn/conf/model_outputs.h.
template <typename Self>
struct LossKeys {
  LossConf loss;
  ComparedWith compared_with = ComparedWith::kLabels;
  double loss_weight = 1;
  std::optional<std::string> labels_of;  // an output before it; absent: it has its own

  Self& ComparedWithInput() {
    compared_with = ComparedWith::kInput;
    return static_cast<Self&>(*this);
  }
  Self& LossWeight(double value) {
    loss_weight = value;
    return static_cast<Self&>(*this);
  }
  // Auxiliary classifiers (Szegedy et al., CVPR 2015): compared with what that output is.
  Self& LabelsOf(std::string output) {
    labels_of = std::move(output);
    return static_cast<Self&>(*this);
  }
  bool operator==(const LossKeys&) const = default;

  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(
        Field{
            .key = "loss", .presence = Field::Presence::kRequired, .meaning = "What is minimized"},
        self.loss);
    visit(Field{.key = "compared_with",
                .meaning = "What the outputs are compared with: the labels of the data, or the "
                           "model's own input, value by value, as an autoencoder's are"},
          self.compared_with);
    visit(Field{.key = "loss_weight",
                .what = "the loss's weight",
                .max = limits::kMaxCoefficient,
                .meaning = "What this output's loss counts in the sum of all outputs' that is "
                           "minimized; 0 = it is measured only"},
          self.loss_weight);
    visit(Field{.key = "labels_of",
                .what = "an output's name",
                .max = limits::kMaxName,
                .meaning = "Name of an output before it whose labels it is compared with too; "
                           "null = it has its own"},
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

  int64_t units = 0;  // classes, or numbers that are predicted

  bool operator==(const Output&) const = default;
  // Whether the data's labels are looked at.
  bool IsComparedWithLabels() const {
    return compared_with == ComparedWith::kLabels &&
           nn::LabelsOf(loss).kind != Labels::Kind::kNothing;
  }
  void Check(Mistakes& mistakes) const;
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
