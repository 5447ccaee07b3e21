// Reorders the axes of each example, like torch.permute with the axis of examples fixed. Axis i of
// the output is axis axes[i - 1] of the input. The axes are:
//   sequence  1 steps, 2 features
//   image     1 channels, 2 rows, 3 columns
//   volume    1 channels, 2 slices, 3 rows, 4 columns
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct Permute : NamedLayer<Permute> {
  static constexpr std::string_view kTag = "permute";
  static constexpr std::string_view kNamePrefix = "permute";
  static constexpr InputNeed kNeeds = InputNeed::kAny;

  Permute() = default;
  explicit Permute(std::vector<int64_t> order) : axes(std::move(order)) {}

  std::vector<int64_t> axes;  // a permutation of 1 to 2, 1 to 3 or 1 to 4; required

  bool operator==(const Permute&) const = default;
  // Adds a mistake if `axes` is not one of these permutations.
  void Check(Mistakes& mistakes) const;
  // Returns the type with the reordered extents. Adds a mistake and returns nullopt unless the
  // input has as many axes as `axes`.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(
        Field{.key = "axes",
              .what = "an axis",
              .min = 1,
              .max = 4,
              .presence = Field::Presence::kRequired,
              .meaning = "Input axis of each output axis, from 1. Sequence: steps, features. "
                         "Image: channels, rows, columns. Volume: channels, slices, rows, columns"},
        self.axes);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
