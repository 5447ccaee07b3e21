#include "dataset/readers/feature_rounder.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dl::dataset {
namespace {

constexpr size_t kMostValues = 1024, kLeastValues = 16, kValuesOfAll = size_t{1} << 21;
constexpr size_t kLossInAHundred = 1;

}  // namespace

void PrecisionWatch::AddFeature(size_t feature) {
  features_.resize(feature + 1);
  smallest_.resize(feature + 1, HUGE_VAL);
  states_.resize(feature + 1, State::kWhole);
  most_values_ = std::clamp(kValuesOfAll / features_.size(), kLeastValues, kMostValues);
}

void PrecisionWatch::Watch(size_t feature, double value, float rounded) {
  Feature& of = features_[feature];
  const bool is_full = of.values.size() >= most_values_;
  states_[feature] = is_full ? State::kFull : State::kWatched;
  if (is_full) return;
  if (!of.values.insert(value).second) return;
  const bool is_near_zero =
      value != 0 && std::fabs(value) < static_cast<double>(std::numeric_limits<float>::min());
  of.near_zero += is_near_zero ? 1 : 0;
  of.rounded.insert(is_near_zero ? 0.0f : rounded);
}

std::vector<PrecisionWatch::Loss> PrecisionWatch::Losses() const {
  std::vector<Loss> losses;
  for (size_t i = 0; i < features_.size(); ++i) {
    const size_t values = features_[i].values.size(), rounded = features_[i].rounded.size();
    if (rounded < values && (values - rounded) * 100 >= values * kLossInAHundred)
      losses.push_back({.feature = i,
                        .values = values,
                        .rounded = rounded,
                        .is_near_zero = values - rounded <= features_[i].near_zero});
  }
  return losses;
}

std::vector<double> PrecisionWatch::Origins(size_t features) const {
  std::vector<double> origins(features, 0.0);
  for (const Loss& loss : Losses()) {
    if (!loss.is_near_zero) origins[loss.feature] = smallest_[loss.feature];
  }
  return origins;
}

void FeatureRounder::NextRow(std::span<const double> values, std::span<const float> nearest,
                             std::span<float> rounded) {
  if (!options_.origins.empty() || options_.values_of_feature != 1) {
    for (size_t i = 0; i < values.size(); ++i) rounded[i] = Next(values[i], nearest[i]);
    return;
  }
  std::ranges::copy(nearest, rounded.begin());
  if (options_.watch == nullptr) return;
  for (size_t i = 0; i < values.size(); ++i) options_.watch->Add(i, values[i], nearest[i]);
}

float RoundTarget(const ReadOptions& options, size_t target, const ReadNumber& number) {
  const double origin =
      target < options.target_origins.size() ? options.target_origins[target] : 0.0;
  const float rounded = origin == 0 ? number.nearest : static_cast<float>(number.value - origin);
  if (options.target_watch != nullptr) options.target_watch->Add(target, number.value, rounded);
  return rounded;
}

FeatureRounder RounderOf(const Schema& schema, const ReadOptions& options, bool is_wide,
                         job::ArrayLayout layout) {
  const auto features = static_cast<size_t>(schema.NormalizedFeatures());
  const bool alternate =
      schema.feature_shape.size() < 3 || layout == job::ArrayLayout::kChannelsLast;
  const size_t pixels = alternate ? 1 : static_cast<size_t>(schema.FeatureSize()) / features;
  return FeatureRounder({.origins = options.origins,
                         .watch = is_wide ? options.watch : nullptr,
                         .features = features,
                         .values_of_feature = pixels});
}

}  // namespace dl::dataset
