// Features that were read in double become float32. An origin is subtracted in double before a
// value is rounded, if different values of the feature would become equal without it. Seconds since
// 1970 are such values: float32 has steps of 128 there.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "dataset/readers/read_options.h"
#include "dataset/schema.h"
#include "job/sources/array_layout.h"

namespace dl::dataset {

// Finds the features whose different values become one float32. Looks at the first 1,024 different
// values of each feature, at fewer where there are more than 2,048 features. Not thread-safe.
class PrecisionWatch {
 public:
  // Takes part in the figures of the feature. `rounded` is the float32 of `value` less its origin.
  void Add(size_t feature, double value, float rounded);

  // A feature that loses at least one in a hundred of its different values.
  struct Loss {
    size_t feature = 0;
    size_t values = 0;   // different ones
    size_t rounded = 0;  // that are left of them
  };
  std::vector<Loss> Losses() const;

  // For each of `features` the smallest value where the feature loses some, else 0.
  std::vector<double> Origins(size_t features) const;

 private:
  struct Feature {
    bool is_watched = false;  // from the first value on that is no small whole number
    double smallest = HUGE_VAL;
    absl::flat_hash_set<double> values;
    absl::flat_hash_set<float> rounded;
  };
  std::vector<Feature> features_;
};

// Rounds the values of rows one after the other. Not thread-safe.
class FeatureRounder {
 public:
  struct Options {
    std::span<const double> origins = {};  // one for each feature; empty: all are 0
    PrecisionWatch* watch = nullptr;       // null: nobody asks
    size_t features = 1;                   // that a row repeats: those of a step, channels
    size_t values_of_feature = 1;          // that follow one another: the pixels of a channel
  };
  FeatureRounder() = default;
  explicit FeatureRounder(const Options& options) : options_(options) {
    // A set with other features than its training set; a later check says so.
    if (options_.origins.size() != options_.features) options_.origins = {};
  }

  // The next value of the row. `nearest` is its float32 without an origin.
  float Next(double value, float nearest) {
    const size_t feature = at_ / options_.values_of_feature;
    Skip(1);
    const double origin = options_.origins.empty() ? 0 : options_.origins[feature];
    const float rounded = origin == 0 ? nearest : static_cast<float>(value - origin);
    if (options_.watch != nullptr) options_.watch->Add(feature, value, rounded);
    return rounded;
  }
  // The next values are no numbers that were read.
  void Skip(size_t values) {
    at_ = (at_ + values) % (options_.features * options_.values_of_feature);
  }

 private:
  Options options_;
  size_t at_ = 0;  // in the row, or in its step
};

// For the features of a table whose shape is known, as they come in an array of this layout.
// `is_wide`: float32 does not hold all values of the source's type.
FeatureRounder RounderOf(const Schema& schema, const ReadOptions& options, bool is_wide,
                         job::ArrayLayout layout);

}  // namespace dl::dataset
