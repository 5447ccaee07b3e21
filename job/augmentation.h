// How images of the training set are changed each time that they are trained on, as data
// (dataset/augmentation.h does it): a type for each change, which is its own builder and says its
// keys (nn/conf/field.h). Whoever reads an evaluation's images reads them as they are.
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

// Left and right change places in a share of the images.
struct HorizontalFlip {
  static constexpr std::string_view kTag = "horizontal_flip";

  double probability = 0.5;

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
                    .meaning = "Share of the images that are turned over"},
          self.probability);
  }
};

// The same of above and below.
struct VerticalFlip {
  static constexpr std::string_view kTag = "vertical_flip";

  double probability = 0.5;

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

// A window of the image's own size out of the image with `padding` black pixels around it, anywhere
// with the same probability. A. Krizhevsky, "Convolutional deep belief networks on CIFAR-10", 2010;
// K. He et al., "Deep residual learning for image recognition", 2015, pad by 4.
struct RandomCrop {
  static constexpr std::string_view kTag = "random_crop";

  int64_t padding = 4;

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
                    .meaning = "Black pixels around the image; it moves by so many at most"},
          self.padding);
  }
};

// A black square whose middle lies anywhere in the image; what lies outside is cut off. T. DeVries,
// G. W. Taylor, "Improved regularization of convolutional neural networks with cutout", 2017.
struct Cutout {
  static constexpr std::string_view kTag = "cutout";

  int64_t size = 8;

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
                    .meaning = "Side of the square that is made black"},
          self.size);
  }
};

// Around the middle, by an angle that is uniform in [-degrees, degrees]; between pixels by bilinear
// interpolation, and black where the image does not reach.
struct Rotation {
  static constexpr std::string_view kTag = "rotation";

  double degrees = 15;

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
                    .meaning = "The largest angle of a rotation, to either side"},
          self.degrees);
  }
};

// All values times a factor that is uniform in [1 - amount, 1 + amount]. None is cut off at white.
struct Brightness {
  static constexpr std::string_view kTag = "brightness";

  double amount = 0.2;

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
                    .meaning = "By what share values become larger or smaller at most"},
          self.amount);
  }
};

inline constexpr size_t kMaxAugmentations = 16;

struct AllAugmentations {
  using Variant =
      std::variant<HorizontalFlip, VerticalFlip, RandomCrop, Cutout, Rotation, Brightness>;
};
using AugmentationConf = OneOf<AllAugmentations>;

std::string_view TagOf(const AugmentationConf& conf);
std::vector<AugmentationConf> DefaultsOf(const AugmentationConf*);  // one of each type
// The key "augmentation" of `data`: a list of objects with a "type", or of the words alone.
Json ToJson(const std::vector<AugmentationConf>& list);
void ReadAugmentation(JsonObjectReader& data, std::vector<AugmentationConf>& out);
void CheckAugmentation(const std::vector<AugmentationConf>& list, nn::Mistakes& mistakes);
// What it asks of the examples, whose features have this shape.
void CheckAugmentationOf(const std::vector<AugmentationConf>& list,
                         const std::vector<int64_t>& feature_shape, nn::Mistakes& mistakes);
std::vector<nn::KeyRow> AugmentationKeys();  // of `data.augmentation` and below

}  // namespace dl::job
