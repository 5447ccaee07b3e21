// Random changes of training images, as data: one type per change. Each type is its own builder and
// describes its JSON keys (nn/conf/field.h). dataset/image_augmentation.h applies the changes, in
// the order of the list, each time an image is trained on. Evaluations use unchanged images. Values
// are those of the source: black is 0, also if the images are normalized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_fwd.h"
#include "base/limits.h"
#include "base/one_of.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// Mirrors an image left to right.
struct HorizontalFlip {
  static constexpr std::string_view kTag = "horizontal_flip";

  // Probability that an image is mirrored, 0 to 1.
  double probability = 0.5;

  // Default: 0.5.
  HorizontalFlip& Probability(double value) {
    probability = value;
    return *this;
  }
  bool operator==(const HorizontalFlip&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(nn::Field{.key = "probability",
                    .what = "the probability",
                    .max = 1,
                    .meaning = "Probability that an image is flipped"},
          self.probability);
  }
};

// Mirrors an image top to bottom.
struct VerticalFlip {
  static constexpr std::string_view kTag = "vertical_flip";

  // Probability that an image is mirrored, 0 to 1.
  double probability = 0.5;

  // Default: 0.5.
  VerticalFlip& Probability(double value) {
    probability = value;
    return *this;
  }
  bool operator==(const VerticalFlip&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    HorizontalFlip::Fields(self, visit);
  }
};

// Pads the image with `padding` black pixels on each side, and cuts out a window of the original
// size at a uniformly random position. A. Krizhevsky, "Convolutional deep belief networks on
// CIFAR-10", 2010; K. He et al., "Deep residual learning for image recognition", 2015, pad by 4.
struct RandomCrop {
  static constexpr std::string_view kTag = "random_crop";

  // Width of the border in pixels, 1 to the smaller side of the image.
  int64_t padding = 4;

  // Default: 4.
  RandomCrop& Padding(int64_t pixels) {
    padding = pixels;
    return *this;
  }
  bool operator==(const RandomCrop&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(nn::Field{.key = "padding",
                    .what = "the padding",
                    .unit = "pixels",
                    .min = 1,
                    .max = limits::kMaxExtent,
                    .meaning =
                        "Width of the black border. The crop moves by at most this many pixels"},
          self.padding);
  }
};

// Blackens a square whose center is at a uniformly random pixel of the image. Parts outside the
// image are cut off. T. DeVries, G. W. Taylor, "Improved regularization of convolutional neural
// networks with cutout", 2017.
struct Cutout {
  static constexpr std::string_view kTag = "cutout";

  // Side of the square in pixels, 1 to the smaller side of the image.
  int64_t size = 8;

  // Default: 8.
  Cutout& Size(int64_t pixels) {
    size = pixels;
    return *this;
  }
  bool operator==(const Cutout&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(nn::Field{.key = "size",
                    .what = "the size",
                    .unit = "pixels",
                    .min = 1,
                    .max = limits::kMaxExtent,
                    .meaning = "Side of the black square"},
          self.size);
  }
};

// Rotates the image around its center by an angle that is uniform in [-degrees, degrees]. Keeps the
// size. Uses bilinear interpolation; pixels from outside the image are black.
struct Rotation {
  static constexpr std::string_view kTag = "rotation";

  // Largest angle in degrees, 0 to 180.
  double degrees = 15;

  // Default: 15.
  Rotation& Degrees(double most) {
    degrees = most;
    return *this;
  }
  bool operator==(const Rotation&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(nn::Field{.key = "degrees",
                    .what = "the angle",
                    .unit = "degrees",
                    .max = 180,
                    .meaning = "Largest angle of the rotation, in either direction"},
          self.degrees);
  }
};

// Multiplies all values of the image by one factor, which is uniform in [1 - amount, 1 + amount].
// Products are not clipped, so they may be larger than white.
struct Brightness {
  static constexpr std::string_view kTag = "brightness";

  // Largest relative change, 0 to 1.
  double amount = 0.2;

  // Default: 0.2.
  Brightness& Amount(double value) {
    amount = value;
    return *this;
  }
  bool operator==(const Brightness&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(nn::Field{.key = "amount",
                    .what = "the amount",
                    .max = 1,
                    .meaning = "Largest change of the values, as a fraction, in either direction"},
          self.amount);
  }
};

inline constexpr size_t kMaxAugmentations = 16;  // per job

struct AllAugmentations {
  using Variant =
      std::variant<HorizontalFlip, VerticalFlip, RandomCrop, Cutout, Rotation, Brightness>;
};
using AugmentationConf = OneOf<AllAugmentations>;

// Returns the name of the type in JSON, for example "random_crop".
std::string_view TagOf(const AugmentationConf& conf);
// Returns a default of each type. The argument is not used.
std::vector<AugmentationConf> DefaultsOf(const AugmentationConf*);
// JSON of the key "data.augmentation": a list of objects with a "type". A plain string stands for
// an object with the defaults of that type. ReadValue appends to `out` and adds errors to `data`.
Json ToJson(const std::vector<AugmentationConf>& list);
void ReadValue(JsonObjectReader& data, std::string_view key, std::vector<AugmentationConf>& out);
void DescribeValue(const nn::Field& field, const std::vector<AugmentationConf>& list,
                   std::vector<nn::KeyRow>& rows);
// Adds a mistake if there are more than kMaxAugmentations entries, and for each value that is out
// of its range.
void CheckAugmentation(const std::vector<AugmentationConf>& list, nn::Mistakes& mistakes);
inline void CheckValue(const nn::Field&, const std::vector<AugmentationConf>& list,
                       nn::Mistakes& mistakes) {
  CheckAugmentation(list, mistakes);
}
// Adds a mistake if the list is not empty and the examples are not images: `feature_shape` must be
// [channels, height, width]. Also adds a mistake for each padding or square that is larger than the
// smaller side of the image.
void CheckAugmentationAgainstData(const std::vector<AugmentationConf>& list,
                                  const std::vector<int64_t>& feature_shape,
                                  nn::Mistakes& mistakes);

}  // namespace dl::job
