// Group normalization (Wu & He, ECCV 2018, equations 1 to 7) of images and volumes. The channels of
// each example are divided into groups of adjacent channels. Each group is normalized over its
// channels and pixels: y = gamma (x - m) / sqrt(v + epsilon) + beta, with the group's mean m and
// biased variance v, and gamma and beta per channel. With one group per channel it is instance
// normalization (Ulyanov, Vedaldi, Lempitsky, arXiv:1607.08022), which is a layer of its own.
// Examples do not influence each other, so training and inference are the same, for every batch
// size.
#pragma once

#include "nn/conf/layers/convolution_keys.h"
#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct GroupNorm : LayerWithScales<GroupNorm> {
  static constexpr std::string_view kTag = "group_norm";
  static constexpr std::string_view kNamePrefix = "gn";
  static constexpr InputNeed kNeeds = InputNeed::kSpatial;

  GroupNorm() = default;
  explicit GroupNorm(int64_t count) : groups(count) {}

  GroupNorm& Epsilon(double value) {
    epsilon = value;
    return *this;
  }

  int64_t groups = 1;     // at least 1; divides the channels; required
  double epsilon = 1e-5;  // 1e-12 to 1

  bool operator==(const GroupNorm&) const = default;
  // Returns `input`. Adds a mistake and returns nullopt if the groups do not divide the channels,
  // or if each group has a single value, because its normalized value would always be 0.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  // Returns gamma, which begins at 1, and beta, which begins at 0. Both are [channels].
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    Field field = kGroupsField;
    field.presence = Field::Presence::kRequired;
    visit(field, self.groups);
    visit(kVarianceEpsilonField, self.epsilon);
    visit(kFrozenField, self.frozen);
  }
  static std::vector<LayerSample> Samples();
};

// GroupNorm with one group per channel.
struct InstanceNorm : LayerWithScales<InstanceNorm> {
  static constexpr std::string_view kTag = "instance_norm";
  static constexpr std::string_view kNamePrefix = "in";
  static constexpr InputNeed kNeeds = InputNeed::kSpatial;

  InstanceNorm& Epsilon(double value) {
    epsilon = value;
    return *this;
  }

  double epsilon = 1e-5;  // 1e-12 to 1

  bool operator==(const InstanceNorm&) const = default;
  // Returns `input`. Adds a mistake and returns nullopt for an image or volume of one pixel,
  // because its normalized values would always be 0.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kVarianceEpsilonField, self.epsilon);
    visit(kFrozenField, self.frozen);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
