// Group normalization (Wu & He, ECCV 2018, equations 1 to 7): each example's channels are cut into
// groups of neighbours, and each group is normalized over its channels and pixels, of an image or a
// volume: y = gamma (x - m) / sqrt(v + epsilon) + beta with the group's mean and biased variance,
// gamma and beta of each channel. With a group for each channel it is instance normalization
// (Ulyanov, Vedaldi, Lempitsky, arXiv:1607.08022), which has its own name. No example sees another
// one: training and inference are the same, at every batch size.
#pragma once

#include "nn/conf/layers/convolution_keys.h"
#include "nn/conf/layers/layer.h"

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

  int64_t groups = 1;  // divides the channels
  double epsilon = 1e-5;

  bool operator==(const GroupNorm&) const = default;
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  // gamma (1) and beta (0), each [channels].
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

// GroupNorm with a group for each channel.
struct InstanceNorm : LayerWithScales<InstanceNorm> {
  static constexpr std::string_view kTag = "instance_norm";
  static constexpr std::string_view kNamePrefix = "in";
  static constexpr InputNeed kNeeds = InputNeed::kSpatial;

  InstanceNorm& Epsilon(double value) {
    epsilon = value;
    return *this;
  }

  double epsilon = 1e-5;

  bool operator==(const InstanceNorm&) const = default;
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
