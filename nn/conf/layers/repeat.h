// Repeats a flat input as all steps of a sequence, for example as the input of a decoder
// (RepeatVector of Keras). The gradient of the row is the sum over the steps.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct Repeat : NamedLayer<Repeat> {
  static constexpr std::string_view kTag = "repeat";
  static constexpr std::string_view kNamePrefix = "repeat";
  static constexpr InputNeed kNeeds = InputNeed::kRows;

  Repeat() = default;
  explicit Repeat(int64_t times) : steps(times) {}

  int64_t steps = 1;  // 1 to limits::kMaxExtent; required

  bool operator==(const Repeat&) const = default;
  // Returns a sequence of `steps` steps with the features of the input. Adds a mistake and returns
  // nullopt if the input is a sequence.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "steps",
                .what = "the number of steps",
                .unit = "steps",
                .min = 1,
                .max = limits::kMaxExtent,
                .presence = Field::Presence::kRequired,
                .meaning = "Number of repetitions of a row, which is the length of the sequence"},
          self.steps);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
