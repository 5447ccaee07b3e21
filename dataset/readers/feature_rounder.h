// Rounds features and numbers to predict from double to float32. If different values would become
// equal, an origin is subtracted in double before rounding. An example is seconds since 1970, where
// float32 has steps of 128.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/read_options.h"
#include "dataset/schema.h"
#include "job/sources/array_layout.h"

namespace dl::dataset {

// Finds the features whose different values become equal in float32. Examines the first 1,024
// different values of each feature, or fewer if there are more than 2,048 features. Not
// thread-safe.
class PrecisionWatch {
 public:
  // Adds a value of the feature. `rounded` is the float32 of `value` minus the origin.
  void Add(size_t feature, double value, float rounded);

  // A feature that loses at least one in a hundred of its different values.
  struct Loss {
    size_t feature = 0;
    size_t values = 0;   // number of different values
    size_t rounded = 0;  // number of different values after rounding
  };
  std::vector<Loss> Losses() const;

  // Returns for each of `features` the smallest value if the feature loses values, else 0.
  // REQUIRES: no value of a later feature was added.
  std::vector<double> Origins(size_t features) const;

 private:
  struct Feature {
    bool is_watched = false;  // true after the first value that is not a small whole number
    double smallest = HUGE_VAL;
    absl::flat_hash_set<double> values;
    absl::flat_hash_set<float> rounded;
  };
  std::vector<Feature> features_;
};

// Rounds the values of rows in order. Not thread-safe.
class FeatureRounder {
 public:
  struct Options {
    std::span<const double> origins = {};  // one per feature; empty: all are 0
    PrecisionWatch* watch = nullptr;       // null: values are not watched
    // number of features that a row repeats: those of a step, or channels
    size_t features = 1;
    // Consecutive values of one feature: the pixels of a channel.
    size_t values_of_feature = 1;
  };
  FeatureRounder() = default;
  explicit FeatureRounder(const Options& options) : options_(options) {
    // The number differs if the features differ from those of the training set. A later check
    // reports that.
    if (options_.origins.size() != options_.features) options_.origins = {};
  }

  // Rounds the next value of the row. `nearest` is the float32 of `value` without an origin.
  float Next(double value, float nearest) {
    const size_t feature = at_ / options_.values_of_feature;
    Skip(1);
    const double origin = options_.origins.empty() ? 0 : options_.origins[feature];
    const float rounded = origin == 0 ? nearest : static_cast<float>(value - origin);
    if (options_.watch != nullptr) options_.watch->Add(feature, value, rounded);
    return rounded;
  }
  // Skips the next values, which are not numbers.
  void Skip(size_t values) {
    at_ = (at_ + values) % (options_.features * options_.values_of_feature);
  }

 private:
  Options options_;
  size_t at_ = 0;  // position in the row, or in its step
};

// Returns the float32 of a number to predict, minus the origin of its target, and watches it.
float RoundTarget(const ReadOptions& options, size_t target, const ReadNumber& number);

// Returns a rounder for features of this schema, in the order in which an array of this layout
// holds them. `is_wide`: the source's type has values that float32 does not represent.
FeatureRounder RounderOf(const Schema& schema, const ReadOptions& options, bool is_wide,
                         job::ArrayLayout layout);

}  // namespace dl::dataset
