// Tests each augmentation on a small image, with expected values by hand. There are so few possible
// outcomes that all of them occur.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "dataset/image_augmentation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::dataset {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using Values = std::vector<float>;

constexpr int kDraws = 400;

Schema ImagesOf(int64_t channels, int64_t height, int64_t width) {
  return {.feature_shape = {channels, height, width}, .labels = ClassLabels{.classes = 2}};
}

// Applies augmentations to images, by default without a normalizer.
class Changing {
 public:
  Changing(std::vector<job::AugmentationConf> list, const Schema& schema,
           const Normalizer& normalizer = {})
      : augmentation_(
            *Augmentation::Create(std::move(list), schema, FeatureScaler(schema, normalizer))) {}

  Values Of(Values image, uint64_t example, int64_t epoch = 0, uint64_t seed = 1) const {
    Values scratch(image.size(), -99);
    augmentation_.Apply({.seed = seed, .epoch = epoch, .example = example}, image, scratch);
    return image;
  }
  // Returns all images that result from `image`, with their counts.
  std::map<Values, int> All(const Values& image) const {
    std::map<Values, int> all;
    for (uint64_t example = 0; example < kDraws; ++example) ++all[Of(image, example)];
    return all;
  }

 private:
  const Augmentation augmentation_;
};

TEST(Augmentation, FlipsTurnOverTheirShareOfTheImages) {
  const Values image = {1, 2, 3, 4, 5, 6, /**/ 11, 12, 13, 14, 15, 16};  // two channels of 2 x 3
  const Values mirrored = {3, 2, 1, 6, 5, 4, /**/ 13, 12, 11, 16, 15, 14};
  const Values upside_down = {4, 5, 6, 1, 2, 3, /**/ 14, 15, 16, 11, 12, 13};
  const auto shares = [&](const job::AugmentationConf& flip) {
    return Changing({flip}, ImagesOf(2, 2, 3)).All(image);
  };
  auto all = shares(job::HorizontalFlip().Probability(0.25));
  EXPECT_EQ(all.size(), 2u);
  EXPECT_NEAR(all[mirrored], kDraws / 4, 40);
  EXPECT_EQ(all[image] + all[mirrored], kDraws);
  all = shares(job::VerticalFlip());
  EXPECT_EQ(all.size(), 2u);
  EXPECT_NEAR(all[upside_down], kDraws / 2, 40);
  EXPECT_EQ(shares(job::HorizontalFlip().Probability(0))[image], kDraws);
  EXPECT_EQ(shares(job::VerticalFlip().Probability(1))[upside_down], kDraws);
}

TEST(Augmentation, CropIsWindowOfPaddedImage) {
  const auto all = Changing({job::RandomCrop().Padding(1)}, ImagesOf(1, 2, 2)).All({1, 2, 3, 4});
  const std::vector<Values> windows = {{0, 0, 0, 1}, {0, 0, 1, 2}, {0, 0, 2, 0},
                                       {0, 1, 0, 3}, {1, 2, 3, 4}, {2, 0, 4, 0},
                                       {0, 3, 0, 0}, {3, 4, 0, 0}, {4, 0, 0, 0}};
  EXPECT_EQ(all.size(), windows.size());
  for (const Values& window : windows) {
    ASSERT_TRUE(all.contains(window)) << testing::PrintToString(window);
    EXPECT_NEAR(all.at(window), kDraws / 9, 25);
  }
}

TEST(Augmentation, CutoutIsCenteredInImage) {
  const Values image(12, 1);  // 3 x 4
  const auto of_one = Changing({job::Cutout().Size(1)}, ImagesOf(1, 3, 4)).All(image);
  EXPECT_EQ(of_one.size(), 12u) << "one pixel, each of them";
  for (const auto& [values, count] : of_one)
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0f), 11);
  // With a size of two pixels, the middle is the lower right pixel.
  const auto of_two = Changing({job::Cutout().Size(2)}, ImagesOf(1, 3, 4)).All(image);
  EXPECT_EQ(of_two.size(), 12u);
  EXPECT_TRUE(of_two.contains({0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})) << "cut off at the corner";
  EXPECT_TRUE(of_two.contains({1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0}));
}

TEST(Augmentation, RotationMovesPixelsOutsideCenter) {
  // Symmetric under quarter turns, except for one bright pixel at the top.
  const Values image = {0, 8, 0, 0, 4, 0, 0, 0, 0};
  const Changing none({job::Rotation().Degrees(0)}, ImagesOf(1, 3, 3));
  EXPECT_EQ(none.Of(image, 1), image);
  // A bright pixel three above the middle of 9 x 9 keeps its distance and moves in all directions.
  const Changing any({job::Rotation().Degrees(180)}, ImagesOf(1, 9, 9));
  Values far(81);
  far[1 * 9 + 4] = 8;
  std::set<std::pair<bool, bool>> quarters;
  for (uint64_t example = 0; example < kDraws; ++example) {
    const Values turned = any.Of(far, example);
    double x = 0, y = 0, all = 0;
    for (int i = 0; i < 81; ++i) {
      all += turned[i];
      y += turned[i] * (i / 9 - 4);
      x += turned[i] * (i % 9 - 4);
    }
    EXPECT_NEAR(all, 8, 4);
    EXPECT_NEAR(std::hypot(x, y) / all, 3, 0.4) << example;
    quarters.insert({x > 0, y > 0});
  }
  EXPECT_EQ(quarters.size(), 4u);
  // With at most 10 degrees the pixel stays at the top and spreads to its neighbours.
  const Values alone = {0, 8, 0, 0, 0, 0, 0, 0, 0};
  const Changing little({job::Rotation().Degrees(10)}, ImagesOf(1, 3, 3));
  std::set<bool> sides;
  for (uint64_t example = 0; example < 50; ++example) {
    const Values turned = little.Of(alone, example);
    EXPECT_GT(turned[1], 6);
    EXPECT_EQ(turned[6] + turned[7] + turned[8], 0);
    sides.insert(turned[0] > turned[2]);
  }
  EXPECT_THAT(sides, ElementsAre(false, true));
}

TEST(Augmentation, BrightnessIsOneFactorForTheWholeImage) {
  const Changing brighter({job::Brightness().Amount(0.5)}, ImagesOf(2, 1, 2));
  float least = 9, most = 0;
  for (uint64_t example = 0; example < kDraws; ++example) {
    const Values image = brighter.Of({1, 2, 3, 4}, example);
    for (int i = 1; i < 4; ++i) EXPECT_NEAR(image[i], image[0] * static_cast<float>(i + 1), 1e-5);
    least = std::min(least, image[0]);
    most = std::max(most, image[0]);
  }
  EXPECT_GE(least, 0.5f);
  EXPECT_LE(most, 1.5f);
  EXPECT_NEAR(least, 0.5, 0.02);
  EXPECT_NEAR(most, 1.5, 0.02);
}

// The result equals normalization after augmentation: black is the normalized value of 0.
TEST(Augmentation, BlackIsNormalizedZero) {
  const Schema schema = ImagesOf(2, 2, 2);
  const Normalizer normalizer = {
      .kind = NormalizerKind::kStandardize, .first = {10, 20}, .second = {2, 4}};
  const FeatureScaler scaler(schema, normalizer);
  const std::vector<job::AugmentationConf> list = {
      job::RandomCrop().Padding(1), job::Brightness().Amount(0.25), job::Cutout().Size(1),
      job::Rotation().Degrees(30)};
  const Changing before(list, schema), behind(list, schema, normalizer);
  const Values raw = {12, 3, 200, 7, 90, 11, 30, 255};
  Values scaled(raw.size());
  scaler.Apply(std::span<const float>(raw), scaled);
  for (uint64_t example = 0; example < 50; ++example) {
    Values expected(raw.size());
    scaler.Apply(std::span<const float>(before.Of(raw, example)), expected);
    const Values got = behind.Of(scaled, example);
    for (size_t i = 0; i < raw.size(); ++i) EXPECT_NEAR(got[i], expected[i], 2e-4) << example;
  }
}

TEST(Augmentation, DependsOnSeedEpochAndExample) {
  const Changing changing({job::RandomCrop().Padding(4), job::HorizontalFlip()}, ImagesOf(1, 8, 8));
  Values image(64);
  std::iota(image.begin(), image.end(), 1.0f);
  EXPECT_EQ(changing.Of(image, 7, 3, 9), changing.Of(image, 7, 3, 9));
  EXPECT_NE(changing.Of(image, 7, 3, 9), changing.Of(image, 8, 3, 9));
  EXPECT_NE(changing.Of(image, 7, 3, 9), changing.Of(image, 7, 4, 9));
  EXPECT_NE(changing.Of(image, 7, 3, 9), changing.Of(image, 7, 3, 8));
}

TEST(Augmentation, RequiresImagesOfSufficientSize) {
  const auto refused = [](job::AugmentationConf conf, const Schema& schema) {
    return std::string(
        Augmentation::Create({std::move(conf)}, schema, FeatureScaler(schema, Normalizer()))
            .status()
            .message());
  };
  EXPECT_THAT(
      refused(job::HorizontalFlip(), {.feature_shape = {4}, .labels = ClassLabels{.classes = 2}}),
      HasSubstr("data.augmentation: applies to images, but the examples are not images"));
  EXPECT_THAT(refused(job::RandomCrop().Padding(6), ImagesOf(1, 5, 8)),
              HasSubstr("data.augmentation[0]: a padding of 6 pixels is larger than the images, "
                        "which are 5 x 8. Use at most 5"));
  EXPECT_THAT(refused(job::Cutout().Size(9), ImagesOf(1, 8, 8)), HasSubstr("a square of 9 pixels"));
  EXPECT_THAT(refused(job::HorizontalFlip().Probability(1.5), ImagesOf(1, 8, 8)),
              HasSubstr("the probability"));
}

}  // namespace
}  // namespace dl::dataset
