// Augments images of the training set each time they are used, as job/augmentation.h defines. The
// result is a pure function of the job's seed, the epoch and the example. It does not depend on the
// position in a minibatch or on the executor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "dataset/normalizer.h"
#include "dataset/schema.h"
#include "job/augmentation.h"

namespace dl::dataset {

// Immutable, thread-safe.
class Augmentation {
 public:
  // Key of the random numbers.
  struct Draw {
    uint64_t seed = 0;
    int64_t epoch = 0;
    uint64_t example = 0;  // id of the example
  };

  // `scaler` is the scaler of the images (Dataset::scaler), and is not kept. Returns
  // InvalidArgument if CheckAugmentation or CheckAugmentationAgainstData finds a mistake, or if the
  // examples are not images.
  static StatusOr<Augmentation> Create(std::vector<job::AugmentationConf> list,
                                       const Schema& schema, const FeatureScaler& scaler);

  // Changes one normalized example [channels, height, width]. Except for rounding, the result is
  // that of normalization after augmentation: black is the normalized value of 0. `scratch` must
  // have the same size; its content is overwritten.
  void Apply(const Draw& draw, std::span<float> image, std::span<float> scratch) const;

 private:
  Augmentation(std::vector<job::AugmentationConf> list, const Schema& schema)
      : list_(std::move(list)),
        channels_(schema.feature_shape[0]),
        height_(schema.feature_shape[1]),
        width_(schema.feature_shape[2]) {}

  const std::vector<job::AugmentationConf> list_;
  const int64_t channels_, height_, width_;
  std::vector<float> black_;  // of each channel
};

}  // namespace dl::dataset
