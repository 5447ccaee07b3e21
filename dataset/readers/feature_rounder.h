// Rounds features and numbers to predict from double to float32. Rounding may make different values
// equal, for example seconds since 1970, where float32 has steps of 128. ReadSource then reads the
// source again and subtracts an origin in double before rounding. It does so only for values that a
// normalizer will shift (ReadOptions::may_shift, ReadOptions::target_normalizer). It adds a warning
// for values that still become equal.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/read_options.h"
#include "dataset/schema.h"
#include "job/sources/array_layout.h"

namespace dl::dataset {

// Finds the features whose different values become equal in float32. Values closer to 0 than the
// smallest normal float32 count as 0. Examines at most 1,024
// different values of each feature; with n > 2,048 features, 2^21 / n, but at least 16. Starts to
// examine a feature at its first value that is not a whole number between -2^24 and 2^24. Not
// thread-safe.
class PrecisionWatch {
 public:
  // Adds a value of the feature with this index. `rounded` is the float32 of `value` minus the
  // feature's origin.
  void Add(size_t feature, double value, float rounded) {
    if (feature >= features_.size()) AddFeature(feature);
    smallest_[feature] = std::min(smallest_[feature], value);
    const State state = states_[feature];
    if (state == State::kFull || (state == State::kWhole && IsSmallWhole(value))) return;
    Watch(feature, value, rounded);
  }

  // A feature that loses at least one in a hundred of its examined values by rounding.
  struct Loss {
    size_t feature = 0;  // its index
    size_t values = 0;   // number of different values
    size_t rounded = 0;  // number of different values after rounding
    // Whether the values are lost because they are closer to 0 than the smallest normal float32.
    // Kernels take such values for 0, and no origin helps.
    bool is_near_zero = false;
  };
  // Returns all such features, ascending.
  std::vector<Loss> Losses() const;

  // Returns the origin of each feature from 0 to `features` - 1: the smallest of all its values if
  // Losses() contains the feature and its values are not near 0, else 0. REQUIRES: all added
  // features have such an index.
  std::vector<double> Origins(size_t features) const;

 private:
  // kWhole: all values were small whole numbers. kWatched: values are examined. kFull: as many
  // values as allowed were examined.
  enum class State : uint8_t { kWhole, kWatched, kFull };
  struct Feature {
    size_t near_zero = 0;  // number of `values` that are near 0, but not 0
    absl::flat_hash_set<double> values;
    absl::flat_hash_set<float> rounded;
  };
  // Returns whether float32 represents the value and all whole numbers closer to 0.
  static bool IsSmallWhole(double value) {
    constexpr double kLimit = 1 << 24;
    return std::fabs(value) < kLimit && static_cast<double>(static_cast<int32_t>(value)) == value;
  }
  void AddFeature(size_t feature);
  void Watch(size_t feature, double value, float rounded);

  // By feature. All values change the first two, and few the last.
  std::vector<double> smallest_;
  std::vector<State> states_;
  std::vector<Feature> features_;
  size_t most_values_ = 0;  // that are examined of each of features_
};

// Rounds the values of rows in the order in which a reader reads them. Every value of a row must be
// passed to Next() or Skip(), row after row. Not thread-safe.
class FeatureRounder {
 public:
  struct Options {
    std::span<const double> origins = {};  // one per feature; empty: all are 0
    PrecisionWatch* watch = nullptr;       // null: values are not watched
    // Number of features: of a step if rows are sequences, channels if rows are images, else of a
    // row (Schema::NormalizedFeatures).
    size_t features = 1;
    // Number of consecutive values of one feature: the pixels of a channel if channels come first,
    // else 1.
    size_t values_of_feature = 1;
  };
  FeatureRounder() = default;
  explicit FeatureRounder(const Options& options) : options_(options) {
    // Ignores origins if their number is wrong. A test set with other features than its training
    // set causes that, and a later check reports it.
    if (options_.origins.size() != options_.features) options_.origins = {};
  }

  // Subtracts the origin from the next value of the row, and returns the float32 of the difference.
  // Adds the value to the watch. `nearest` is the float32 of `value` itself.
  float Next(double value, float nearest) {
    const size_t feature = feature_;
    if (++value_ == options_.values_of_feature) {
      value_ = 0;
      if (++feature_ == options_.features) feature_ = 0;
    }
    const double origin = options_.origins.empty() ? 0 : options_.origins[feature];
    const float rounded = origin == 0 ? nearest : static_cast<float>(value - origin);
    if (options_.watch != nullptr) options_.watch->Add(feature, value, rounded);
    return rounded;
  }
  // Calls Next() for all values of a row, and writes the results to `rounded`. REQUIRES: the row
  // has a value of each feature, and the value before them was the last of its row.
  void NextRow(std::span<const double> values, std::span<const float> nearest,
               std::span<float> rounded);
  // Skips the next values of the row, which are not rounded: categories, zeros or padding.
  void Skip(size_t values) {
    const size_t at = feature_ * options_.values_of_feature + value_ + values;
    if (options_.values_of_feature == 1 && at < options_.features) {  // needs no division
      feature_ = at;
      return;
    }
    feature_ = at / options_.values_of_feature % options_.features;
    value_ = at % options_.values_of_feature;
  }

 private:
  Options options_;
  size_t feature_ = 0, value_ = 0;  // next feature, and its next value
};

// Subtracts the origin of the target from a number to predict, and returns the float32 of the
// difference. Adds the number to options.target_watch, unless that is null. `target` is the index
// of the number in the label.
float RoundTarget(const ReadOptions& options, size_t target, const ReadNumber& number);

// Returns a rounder for features of this schema, in the order in which an array of this layout
// holds them. `is_wide`: whether the array's type has values that float32 does not represent. If
// not, no value is watched.
FeatureRounder RounderOf(const Schema& schema, const ReadOptions& options, bool is_wide,
                         job::ArrayLayout layout);

}  // namespace dl::dataset
