// The last layer: a dense layer with a loss (nn/conf/losses). Behind a sequence it judges each
// step, which has a label of its own. Where a function belongs to the loss, as the softmax to
// softmax cross-entropy, the layer computes the logits (its activation stays identity) and
// predictions are that function of them. Outputs may also be compared with what the model read, as
// an autoencoder's are (Hinton, Salakhutdinov, Science 313, 2006): value by value with one example
// of its input, row-major, normalized and augmented; labels are not looked at then.
#pragma once

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

inline constexpr Field kLossField{
    .key = "loss", .presence = Field::Presence::kRequired, .meaning = "What is minimized"};
inline constexpr Field kComparedWithField{
    .key = "compared_with",
    .meaning =
        "What the outputs are compared with: the labels of the data, or the model's own "
        "input, value by value, as an autoencoder's are"};

struct Output : WeightedLayer<Output> {
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

  Output& ComparedWithInput() {
    compared_with = ComparedWith::kInput;
    return *this;
  }

  int64_t units = 0;  // classes, or numbers that are predicted
  LossConf loss;
  ComparedWith compared_with = ComparedWith::kLabels;

  bool operator==(const Output&) const = default;
  void Check(Mistakes& mistakes) const;
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  std::optional<InputType> OutputWithoutInput() const { return FeedForward(units); }
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kUnitsField, self.units);
    visit(kLossField, self.loss);
    visit(kComparedWithField, self.compared_with);
    WeightKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
