// The last layer: a dense layer with a loss. With softmax cross-entropy it computes the logits (its
// activation stays identity); predictions then are softmax(logits).
#pragma once

#include "nn/conf/layers/layer.h"
#include "nn/conf/loss.h"

namespace dl::nn {

struct LayerSample;

struct Output : WeightedLayer<Output> {
  static constexpr std::string_view kTag = "output";
  static constexpr std::string_view kNamePrefix = "output";
  static constexpr InputNeed kNeeds = InputNeed::kFlat;

  Output() = default;
  explicit Output(int64_t unit_count) : units(unit_count) {}
  Output& Loss(LossConf value) {
    loss = value;
    return *this;
  }

  int64_t units = 0;  // classes for softmax cross-entropy, targets for mean squared error
  LossConf loss;

  bool operator==(const Output&) const = default;
  void Check(Mistakes& mistakes) const;
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  std::optional<InputType> OutputWithoutInput() const { return FeedForward(units); }
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kUnitsField, self.units);
    visit(
        Field{
            .key = "loss", .presence = Field::Presence::kRequired, .meaning = "What is minimized"},
        self.loss);
    WeightKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
