// Images of the training set, changed anew each time that they are trained on, as
// job/augmentation.h says. What happens to an image is a pure function of the job's seed, the epoch
// and the example: not of its place in a minibatch, nor of who reads it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "dataset/normalizer.h"
#include "dataset/schema.h"
#include "job/augmentation.h"

namespace dl::dataset {

// Immutable once made, thread-safe.
class Augmentation {
 public:
  // Whose numbers are drawn.
  struct Draw {
    uint64_t seed = 0;
    int64_t epoch = 0;
    uint64_t example = 0;  // its id
  };

  // InvalidArgument where CheckAugmentation or CheckAugmentationOf has something to say.
  static StatusOr<Augmentation> Create(std::vector<job::AugmentationConf> list,
                                       const Schema& schema, const FeatureScaler& scaler);

  // Changes one example that is normalized already, [channels, height, width], as if it had been
  // changed before: black is what a normalizer makes of 0. `scratch` is of the same size; what it
  // holds does not matter.
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
