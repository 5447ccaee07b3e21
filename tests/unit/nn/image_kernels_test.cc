// Kernels for images in plain layout: nn/kernels/planes.h and response_norm.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/kernels/planes.h"
#include "nn/kernels/response_norm_kernels.h"

namespace dl::nn {
namespace {

using ::testing::ElementsAre;

TEST(Planes, FrameMatchesExampleByHand) {
  const FrameShape shape{.planes = 2,
                         .height = 2,
                         .width = 4,
                         .inner_height = 1,
                         .inner_width = 2,
                         .top = 1,
                         .left = 1};
  const std::vector<float> inner = {1, 2, 3, 4};
  std::vector<float> outer(16, 9), again(4, 9);
  SurroundByZeros(shape, inner.data(), outer.data());
  EXPECT_THAT(outer, ElementsAre(0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 0));
  TakeMiddle(shape, outer.data(), again.data());
  EXPECT_EQ(again, inner);
}

TEST(Planes, BlocksByHand) {
  const BlockShape shape{.planes = 1, .height = 2, .width = 2, .rows = 2, .columns = 3};
  const std::vector<float> x = {1, 2, 3, 4};
  std::vector<float> y(24, 9), sums(4, 9);
  RepeatPixels(shape, x.data(), y.data());
  EXPECT_THAT(y, ElementsAre(1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2,  //
                             3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4));
  SumBlocks(shape, y.data(), sums.data());
  EXPECT_THAT(sums, ElementsAre(6, 12, 18, 24));
}

// Five columns in three overlapping regions: {0, 1}, {1, 2, 3}, {3, 4}. Two rows in three regions:
// {0}, {0, 1}, {1}.
TEST(Planes, RegionsByHand) {
  const RegionShape shape{.planes = 1, .height = 2, .width = 5, .rows = 3, .columns = 3};
  const std::vector<float> x = {1, 5, 3, 5, 2,  //
                                9, 0, 6, 6, 4};
  std::vector<float> y(9, 7), dx(10, 7);
  MeansOfRegions(shape, x.data(), y.data());
  EXPECT_THAT(y, ElementsAre(3, 13.0f / 3, 3.5f, 3.75f, 25.0f / 6, 4.25f, 4.5f, 4, 5));
  const std::vector<float> dy = {2, 3, 4, 8, 12, 16, 6, 9, 10};
  MeansOfRegionsGradient(shape, dy.data(), dx.data());
  EXPECT_THAT(dx, ElementsAre(3, 6, 3, 9, 6,  //
                              5, 10, 5, 14, 9));
  LargestOfRegions(shape, x.data(), y.data());
  EXPECT_THAT(y, ElementsAre(5, 5, 5, 9, 6, 6, 9, 6, 6));
  LargestOfRegionsGradient(shape, x.data(), dy.data(), dx.data());
  EXPECT_THAT(dx, ElementsAre(0, 5, 0, 4, 0,  //
                              14, 0, 21, 26, 0));
}

// An output larger than the plane repeats pixels. NaN is the largest value.
TEST(Planes, RegionsAtTheEdges) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const RegionShape larger{.planes = 2, .height = 1, .width = 1, .rows = 2, .columns = 3};
  const std::vector<float> x = {1, 2};
  std::vector<float> y(12);
  MeansOfRegions(larger, x.data(), y.data());
  EXPECT_THAT(y, ElementsAre(1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2));
  const RegionShape whole{.planes = 1, .height = 1, .width = 3};
  const std::vector<float> broken = {3, nan, 4};
  float largest = 0;
  LargestOfRegions(whole, broken.data(), &largest);
  EXPECT_TRUE(std::isnan(largest));
}

// A pixel with three channels 1, 2 and 3; sums of two or three squares.
TEST(ResponseNormTest, ByHand) {
  const ResponseNorm norm{
      .examples = 1, .channels = 3, .area = 1, .size = 3, .alpha = 0.5f, .beta = 0.5f, .k = 1.5f};
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> base(3), y(3);
  ResponseNormForward(norm, x.data(), base.data(), y.data());
  EXPECT_THAT(base, ElementsAre(4, 8.5f, 8));  // 1.5 + (1 + 4) / 2, + 14 / 2, + 13 / 2
  EXPECT_NEAR(y[0], 0.5, 1e-6);
  EXPECT_NEAR(y[1], 2 / std::sqrt(8.5), 1e-6);
  EXPECT_NEAR(y[2], 3 / std::sqrt(8.0), 1e-6);
}

// The power, for bases from the smallest k to large values.
TEST(ResponseNormTest, PowersAreAccurate) {
  for (const float beta : {0.0f, 0.5f, 0.75f, 2.0f, 8.0f}) {
    for (const float k : {0.001f, 0.9999f, 1.0f, 2.0f, 1000.0f, 1e6f}) {
      const ResponseNorm norm{
          .examples = 1, .channels = 1, .area = 1, .alpha = 0.0f, .beta = beta, .k = k};
      const float x = 1;
      float base = 0, y = 0;
      ResponseNormForward(norm, &x, &base, &y);
      const double expected = std::pow(static_cast<double>(k), -static_cast<double>(beta));
      if (expected < 1e-37) continue;
      EXPECT_NEAR(y / expected, 1, 2e-5) << k << " to the power of -" << beta;
    }
  }
}

TEST(ResponseNormTest, BitsDoNotDependOnLengthAndOffset) {
  constexpr int64_t kLongest = 67;
  std::vector<float> x(3 * kLongest), dy(3 * kLongest);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(static_cast<float>(i));
    dy[i] = std::cos(static_cast<float>(3 * i));
  }
  // Each pixel is computed independently.
  const auto run = [&](int64_t first, int64_t area) {
    ResponseNorm norm{.examples = 1,
                      .channels = 3,
                      .area = area,
                      .size = 3,
                      .alpha = 0.7f,
                      .beta = 0.6f,
                      .k = 1.1f};
    std::vector<float> a, b, base(3 * area), y(3 * area), dx(3 * area);
    for (int64_t c = 0; c < 3; ++c) {
      a.insert(a.end(), x.begin() + c * kLongest + first, x.begin() + c * kLongest + first + area);
      b.insert(b.end(), dy.begin() + c * kLongest + first,
               dy.begin() + c * kLongest + first + area);
    }
    std::vector<float> scratch(ResponseNormScratch(norm));
    ResponseNormForward(norm, a.data(), base.data(), y.data());
    ResponseNormBackward(norm, {0, area}, a.data(), base.data(), b.data(), dx.data(),
                         scratch.data());
    y.insert(y.end(), dx.begin(), dx.end());
    return y;  // [6, area]
  };
  const std::vector<float> whole = run(0, kLongest);
  for (int64_t i = 0; i < kLongest; ++i) {
    const std::vector<float> alone = run(i, 1);
    for (int64_t c = 0; c < 6; ++c) EXPECT_EQ(alone[c], whole[c * kLongest + i]) << i;
  }
}

}  // namespace
}  // namespace dl::nn
