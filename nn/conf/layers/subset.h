// Selects a range of features or channels: features of a flat input or of each step of a sequence,
// channels of an image or volume. Both ends are included, as in SubsetVertex of Deeplearning4j. The
// gradient of all values outside of the range is 0.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct Subset : NamedLayer<Subset> {
  static constexpr std::string_view kTag = "subset";
  static constexpr std::string_view kNamePrefix = "subset";
  static constexpr InputNeed kNeeds = InputNeed::kAny;
  static constexpr bool kTakesVariableLength = true;

  Subset() = default;
  Subset(int64_t first, int64_t last) : from(first), to(last) {}

  // Indices from 0, at most limits::kMaxExtent - 1, with from <= to.
  int64_t from = 0;
  int64_t to = 0;  // inclusive; required

  bool operator==(const Subset&) const = default;
  // Adds a mistake if from > to.
  void Check(Mistakes& mistakes) const;
  // Returns `input` with to - from + 1 features or channels. Adds a mistake and returns nullopt if
  // the input has no feature or channel `to`.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "from",
                .what = "the first",
                .max = limits::kMaxExtent - 1,
                .meaning = "Index (from 0) of the first feature or channel to take"},
          self.from);
    visit(Field{.key = "to",
                .what = "the last",
                .max = limits::kMaxExtent - 1,
                .presence = Field::Presence::kRequired,
                .meaning = "Index (from 0) of the last feature or channel to take"},
          self.to);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
