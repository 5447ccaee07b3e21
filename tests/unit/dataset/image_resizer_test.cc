#include "dataset/readers/image/image_resizer.h"

#include <cmath>
#include <numeric>

#include "base/checksum.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/dataset/image_bytes.h"

namespace dl::dataset {
namespace {

using ::testing::ElementsAre;

std::vector<uint8_t> Resized(const test::Pixels& image, ImageResizer::Size to) {
  ImageResizer resizer({image.height, image.width}, to, image.channels);
  const int64_t row = image.width * image.channels;
  for (int64_t y = 0; y < image.height; ++y)
    resizer.AddRow(std::span(image.bytes).subspan(y * row, row));
  std::vector<uint8_t> out(to.height * to.width * image.channels);
  resizer.Store(out);
  return out;
}

// The triangle filter in floating point, with both axes at once.
double Reference(const test::Pixels& image, ImageResizer::Size to, int64_t c, int64_t y,
                 int64_t x) {
  const auto weight = [](int64_t from, int64_t size, int64_t i, int64_t j) {
    const double scale = static_cast<double>(from) / static_cast<double>(size);
    const double reach = std::max(1.0, scale);
    return std::max(0.0, 1 - std::abs(j + 0.5 - (i + 0.5) * scale) / reach);
  };
  double sum = 0, weights = 0;
  for (int64_t v = 0; v < image.height; ++v) {
    for (int64_t u = 0; u < image.width; ++u) {
      const double w = weight(image.height, to.height, y, v) * weight(image.width, to.width, x, u);
      sum += w * image.At(v, u, c);
      weights += w;
    }
  }
  return sum / weights;
}

TEST(ImageResizer, SameSizeKeepsImage) {
  const test::Pixels image = test::Drawn(7, 5, 3);
  const std::vector<uint8_t> same = Resized(image, {7, 5});
  for (int64_t c = 0; c < 3; ++c) {
    for (int64_t y = 0; y < 7; ++y) {
      for (int64_t x = 0; x < 5; ++x) EXPECT_EQ(same[(c * 7 + y) * 5 + x], image.At(y, x, c));
    }
  }
}

// From 4 to 2: the first triangle is centered at 1 and reaches 2 to either side, so its inputs at
// 0.5, 1.5 and 2.5 have weights 3, 3 and 1. From 2 to 4: the inputs at 0.5 and 1.5 are read at
// 0.25, 0.75, ...
TEST(ImageResizer, ByHand) {
  EXPECT_THAT(Resized({1, 4, 1, {0, 70, 140, 210}}, {1, 2}), ElementsAre(50, 160));
  EXPECT_THAT(Resized({4, 1, 1, {0, 70, 140, 210}}, {2, 1}), ElementsAre(50, 160));
  EXPECT_THAT(Resized({1, 2, 1, {0, 100}}, {1, 4}), ElementsAre(0, 25, 75, 100));
  EXPECT_THAT(Resized({1, 2, 1, {0, 1}}, {1, 1}), ElementsAre(1)) << "halves go up";
  EXPECT_THAT(Resized({1, 1, 1, {9}}, {2, 2}), ElementsAre(9, 9, 9, 9));
}

TEST(ImageResizer, UsesTriangleFilter) {
  for (const auto& [height, width, to] :
       {std::tuple<int64_t, int64_t, ImageResizer::Size>{13, 29, {5, 8}},
        {13, 29, {30, 31}},
        {64, 3, {7, 9}},
        {1, 40, {3, 1}},
        {50, 50, {1, 1}}}) {
    const test::Pixels image = test::Drawn(height, width, 3);
    const std::vector<uint8_t> found = Resized(image, to);
    for (int64_t i = 0; i < std::ssize(found); ++i) {
      const int64_t x = i % to.width, y = i / to.width % to.height, c = i / to.width / to.height;
      ASSERT_NEAR(found[i], Reference(image, to, c, y, x), 0.51) << height << "x" << width;
    }
  }
}

TEST(ImageResizer, LargestImagesStayInRange) {
  constexpr int64_t kSide = 1 << 16;
  ImageResizer narrow({1, kSide}, {1, 1}, 1), tall({kSide, 1}, {1, 1}, 1);
  narrow.AddRow(std::vector<uint8_t>(kSide, 255));
  const std::vector<uint8_t> white = {255};
  for (int64_t y = 0; y < kSide; ++y) tall.AddRow(white);
  std::vector<uint8_t> out(1);
  narrow.Store(out);
  EXPECT_EQ(out[0], 255);
  tall.Store(out);
  EXPECT_EQ(out[0], 255);
}

// Every machine must give these bits.
TEST(ImageResizer, BitsAreThoseOnRecord) {
  const std::vector<uint8_t> found = Resized(test::Drawn(61, 47, 3), {32, 32});
  EXPECT_EQ(Sha256Hex(std::string(found.begin(), found.end())),
            "80ac66bf1b2a97ba05a60b819e15e26e3dd66b7a55d50f699a8fbe51e6e518ac");
}

}  // namespace
}  // namespace dl::dataset
