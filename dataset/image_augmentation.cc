#include "dataset/image_augmentation.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/philox.h"
#include "base/portable_math.h"

namespace dl::dataset {
namespace {

struct Image {
  std::span<float> values, scratch;  // [channels, height, width]
  std::span<const float> black;
  int64_t channels, height, width;

  float* Row(int64_t channel, int64_t y) { return &values[(channel * height + y) * width]; }
};

void Change(const job::HorizontalFlip& flip, RandomStream& random, Image& image) {
  if (random.NextDouble() >= flip.probability) return;
  for (int64_t row = 0; row < image.channels * image.height; ++row)
    std::reverse(image.Row(0, row), image.Row(0, row) + image.width);
}

void Change(const job::VerticalFlip& flip, RandomStream& random, Image& image) {
  if (random.NextDouble() >= flip.probability) return;
  for (int64_t c = 0; c < image.channels; ++c) {
    for (int64_t y = 0; y < image.height / 2; ++y)
      std::swap_ranges(image.Row(c, y), image.Row(c, y) + image.width,
                       image.Row(c, image.height - 1 - y));
  }
}

// Recomputes all channels of the image. value(old, black, y, x) returns the new pixel from the old
// channel, which is in `scratch`.
template <typename Value>
void Redraw(Image& image, const Value& value) {
  std::ranges::copy(image.values, image.scratch.begin());
  for (int64_t c = 0; c < image.channels; ++c) {
    const float* const old = &image.scratch[c * image.height * image.width];
    for (int64_t y = 0; y < image.height; ++y) {
      float* const row = image.Row(c, y);
      for (int64_t x = 0; x < image.width; ++x) row[x] = value(old, image.black[c], y, x);
    }
  }
}

void Change(const job::RandomCrop& crop, RandomStream& random, Image& image) {
  const auto places = static_cast<uint64_t>(2 * crop.padding + 1);
  const int64_t down = static_cast<int64_t>(random.Bounded(places)) - crop.padding;
  const int64_t right = static_cast<int64_t>(random.Bounded(places)) - crop.padding;
  const int64_t height = image.height, width = image.width;
  Redraw(image, [=](const float* old, float black, int64_t y, int64_t x) {
    const int64_t from_y = y + down, from_x = x + right;
    const bool inside = from_y >= 0 && from_y < height && from_x >= 0 && from_x < width;
    return inside ? old[from_y * width + from_x] : black;
  });
}

void Change(const job::Cutout& cutout, RandomStream& random, Image& image) {
  const auto begin = [&](int64_t side) {
    return static_cast<int64_t>(random.Bounded(static_cast<uint64_t>(side))) - cutout.size / 2;
  };
  const int64_t top = begin(image.height), left = begin(image.width);
  const int64_t first_x = std::max<int64_t>(left, 0);
  const int64_t end_x = std::min(left + cutout.size, image.width);
  for (int64_t c = 0; c < image.channels; ++c) {
    for (int64_t y = std::max<int64_t>(top, 0); y < std::min(top + cutout.size, image.height);
         ++y) {
      if (first_x < end_x)
        std::fill(image.Row(c, y) + first_x, image.Row(c, y) + end_x, image.black[c]);
    }
  }
}

void Change(const job::Rotation& rotation, RandomStream& random, Image& image) {
  const double turns = (2 * random.NextDouble() - 1) * rotation.degrees / 360;
  const double sine = portable::SinTurns(turns), cosine = portable::CosTurns(turns);
  const int64_t height = image.height, width = image.width;
  const double middle_y = static_cast<double>(height - 1) / 2;
  const double middle_x = static_cast<double>(width - 1) / 2;
  Redraw(image, [=](const float* old, float black, int64_t y, int64_t x) {
    const double dy = static_cast<double>(y) - middle_y, dx = static_cast<double>(x) - middle_x;
    const double from_y = middle_y + cosine * dy - sine * dx;
    const double from_x = middle_x + sine * dy + cosine * dx;
    const double top = std::floor(from_y), left = std::floor(from_x);
    const auto at = [&](int64_t ay, int64_t ax) -> double {
      const bool inside = ay >= 0 && ay < height && ax >= 0 && ax < width;
      return inside ? old[ay * width + ax] : black;
    };
    const auto iy = static_cast<int64_t>(top), ix = static_cast<int64_t>(left);
    const double down = from_y - top, right = from_x - left;
    const double above = at(iy, ix) + right * (at(iy, ix + 1) - at(iy, ix));
    const double below = at(iy + 1, ix) + right * (at(iy + 1, ix + 1) - at(iy + 1, ix));
    return static_cast<float>(above + down * (below - above));
  });
}

void Change(const job::Brightness& brightness, RandomStream& random, Image& image) {
  const double factor = 1 + (2 * random.NextDouble() - 1) * brightness.amount;
  const int64_t size = image.height * image.width;
  for (int64_t c = 0; c < image.channels; ++c) {
    const double black = image.black[c];
    for (float& value : image.values.subspan(c * size, size))
      value = static_cast<float>(black + factor * (static_cast<double>(value) - black));
  }
}

}  // namespace

StatusOr<Augmentation> Augmentation::Create(std::vector<job::AugmentationConf> list,
                                            const Schema& schema, const FeatureScaler& scaler) {
  nn::Mistakes mistakes;
  job::CheckAugmentation(list, mistakes);
  job::CheckAugmentationAgainstData(list, schema.feature_shape, mistakes);
  if (schema.feature_shape.size() != 3 && mistakes.empty())
    return InvalidArgument({.message = "only images are augmented"});
  DL_RETURN_IF_ERROR(mistakes.ToStatus());

  Augmentation augmentation(std::move(list), schema);
  std::vector<float> zeros(schema.FeatureSize()), scaled(schema.FeatureSize());
  scaler.Apply(std::span<const float>(zeros), scaled);
  const int64_t size = augmentation.height_ * augmentation.width_;
  for (int64_t c = 0; c < augmentation.channels_; ++c)
    augmentation.black_.push_back(scaled[c * size]);
  return augmentation;
}

void Augmentation::Apply(const Draw& draw, std::span<float> image, std::span<float> scratch) const {
  DL_CHECK(static_cast<int64_t>(image.size()) == channels_ * height_ * width_);
  DL_CHECK(scratch.size() == image.size());
  RandomStream random({.seed = draw.seed,
                       .purpose = RandomPurpose::kAugmentation,
                       .a = static_cast<uint64_t>(draw.epoch),
                       .b = draw.example});
  Image whole{image, scratch, black_, channels_, height_, width_};
  for (const job::AugmentationConf& conf : list_)
    std::visit([&](const auto& change) { Change(change, random, whole); }, conf);
}

}  // namespace dl::dataset
