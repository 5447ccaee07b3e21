#include "base/value_histogram.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl {
namespace {

using Bucket = ValueHistogram::Bucket;
using testing::ElementsAre;

ValueHistogram HistogramOf(const std::vector<float>& values) {
  HistogramCounter counter;
  counter.Add(values);
  return counter.Take();
}

TEST(ValueHistogram, BucketsAreHalvesOfPowersOfTwo) {
  // 2^k is the edge of bucket 2 (k + 126) + 1.
  EXPECT_EQ(BucketEdge(253), 1);
  EXPECT_EQ(BucketEdge(254), 1.5);
  EXPECT_EQ(BucketEdge(255), 2);
  EXPECT_EQ(BucketEdge(-254), -1.5);
  EXPECT_EQ(BucketEdge(1), std::ldexp(1, -126));
  EXPECT_EQ(BucketEdge(kLastBucket + 1), std::ldexp(1, 128));
  EXPECT_THAT(HistogramOf({1, 1.25F, 1.5F, 1.99F, 2, -1, -1.5F}).buckets,
              ElementsAre(Bucket{-254, 1}, Bucket{-253, 1}, Bucket{253, 2}, Bucket{254, 2},
                          Bucket{255, 1}));
}

TEST(ValueHistogram, EachValueLiesBetweenTheEdgesOfItsBucket) {
  for (const float value : {1e-37F, -3e-20F, 0.1F, -0.75F, 1.5F, 7e9F, 3e38F, -3e38F}) {
    const ValueHistogram histogram = HistogramOf({value});
    ASSERT_EQ(histogram.buckets.size(), 1);
    const int32_t index = histogram.buckets[0].index;
    EXPECT_LE(LowerEdge(index), value);
    EXPECT_GE(UpperEdge(index), value);
    EXPECT_LE(std::abs(index), kLastBucket);
  }
}

TEST(ValueHistogram, ZeroAndSubnormalValuesShareABucket) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_THAT(HistogramOf({0, -0.0F, tiny, -tiny}).buckets, ElementsAre(Bucket{0, 4}));
  EXPECT_EQ(LowerEdge(0), -UpperEdge(0));
}

TEST(ValueHistogram, ValuesThatAreNotFiniteDoNotCount) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(HistogramOf({infinity, -infinity, NAN, -NAN}).buckets.empty());
}

TEST(ValueHistogram, CountsEveryValueOfEachLength) {
  HistogramCounter counter;
  for (size_t size = 0; size < 40; ++size) {
    counter.Add(std::vector<float>(size, 3));
    EXPECT_EQ(ValuesOf(counter.Take()), static_cast<int64_t>(size));
  }
}

TEST(ValueHistogram, DifferencesAreCountedAsOneByOne) {
  std::vector<float> before, after, differences;
  for (int i = 0; i < 3000; ++i) {
    before.push_back(0.001F * static_cast<float>(i % 17));
    after.push_back(-0.01F * static_cast<float>(i % 23));
    differences.push_back(after.back() - before.back());
  }
  HistogramCounter counter;
  counter.AddDifferences(before, after);
  EXPECT_EQ(counter.Take(), HistogramOf(differences));
}

TEST(ValueHistogram, SumHasTheCountsOfBoth) {
  ValueHistogram sum = HistogramOf({1, 2});
  AddHistogram(sum, HistogramOf({2, 3, -1}));
  EXPECT_EQ(sum, HistogramOf({1, 2, 2, 3, -1}));
}

TEST(ValueHistogram, QuantilesLieInTheBucketOfTheirShare) {
  const ValueHistogram histogram = HistogramOf({-1, -1, 0, 0, 0, 0, 1, 1});
  EXPECT_EQ(QuantileOf(histogram, 0), -1.5);
  EXPECT_EQ(QuantileOf(histogram, 0.125), -1.25);  // half of the bucket from -1.5 to -1
  EXPECT_EQ(QuantileOf(histogram, 0.25), -1);
  EXPECT_EQ(QuantileOf(histogram, 0.5), 0);
  EXPECT_EQ(QuantileOf(histogram, 0.875), 1.25);
  EXPECT_EQ(QuantileOf(histogram, 1), 1.5);
}

TEST(ValueHistogram, BytesGiveTheSameHistograms) {
  const std::vector<LayerHistogram> histograms = {
      {.layer = "conv1", .values = HistogramOf({-3e38F, -1, 0, 1e-30F, 2, 2, 3e38F})},
      {.layer = "", .values = {}},
      {.layer = "b/c", .values = {.buckets = {{.index = 508, .count = (int64_t{1} << 53) - 1}}}}};
  const auto read = DecodeHistograms(EncodeHistograms(histograms));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, histograms);
  EXPECT_TRUE(DecodeHistograms(EncodeHistograms({}))->empty());
}

TEST(ValueHistogram, OtherBytesAreRefused) {
  const std::vector<LayerHistogram> histograms = {{.layer = "a", .values = HistogramOf({1, 2, 4})}};
  const std::string bytes = EncodeHistograms(histograms);
  for (size_t size = 0; size < bytes.size(); ++size) {
    // The version alone is a list without histograms.
    EXPECT_EQ(DecodeHistograms(bytes.substr(0, size)).has_value(), size == 1) << size;
  }
  std::string version = bytes;
  version[0] = 2;
  EXPECT_FALSE(DecodeHistograms(version));
  const auto one = [](int64_t distance, int64_t count) {
    std::string text = "\x01";
    for (const int64_t number : {int64_t{0}, int64_t{1}, distance, count}) {
      auto left = static_cast<uint64_t>(number);
      for (; left >= 0x80; left >>= 7) text.push_back(static_cast<char>(left | 0x80));
      text.push_back(static_cast<char>(left));
    }
    return DecodeHistograms(text).has_value();
  };
  EXPECT_TRUE(one(1, 1));
  EXPECT_TRUE(one(1017, 1));
  EXPECT_FALSE(one(1018, 1)) << "above the last bucket";
  EXPECT_FALSE(one(0, 1)) << "not ascending";
  EXPECT_FALSE(one(1, 0)) << "an empty bucket";
  EXPECT_FALSE(one(1, int64_t{1} << 53)) << "too many values";
  std::string many = "\x01";
  for (size_t i = 0; i <= kMaxLayerHistograms; ++i) many += std::string(2, '\0');
  EXPECT_FALSE(DecodeHistograms(many));
}

}  // namespace
}  // namespace dl
