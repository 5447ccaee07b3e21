#include "averaging/accumulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/support/merge_contributions.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace dl::averaging {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

SegmentTable OneSegment(int64_t size) {
  SegmentTable table;
  table.Add("dense.weight", SegmentKind::kParameter, {size});
  return table;
}

SegmentTable WithMoments(int64_t size) {
  SegmentTable table = OneSegment(2);
  table.Add("bn.mean", SegmentKind::kMean, {size});
  table.Add("bn.variance", SegmentKind::kVariance, {size});
  return table;
}

std::vector<float> Merge(const SegmentTable& table,
                         std::vector<test::WeightedVector> contributions) {
  std::vector<float> out(table.size(), -7);
  const Status status = test::MergeContributions(table, contributions, out);
  EXPECT_TRUE(status.ok()) << status;
  return out;
}

TEST(Accumulator, WeighsByExamples) {
  const std::vector<float> a = {1, 0, -8}, b = {4, 0, 1};
  EXPECT_THAT(Merge(OneSegment(3), {{a, 200}, {b, 100}}), ElementsAre(2, 0, -5));
}

TEST(Accumulator, SumsOf128BitsGiveSameMean) {
  const std::vector<float> a = {1, 0, -8.5, 1e-3}, b = {4, 0, 1, -2e-5};
  // Coprime weights with a sum above 2^21. The third contribution repeats the first.
  const int64_t n = (int64_t{1} << 40) + 1;
  const std::vector<float> wide = Merge(OneSegment(4), {{a, n}, {b, n - 1}, {a, 1}});
  for (int i = 0; i < 4; ++i) {
    const long double expected =
        (static_cast<long double>(a[i]) * (n + 1) + static_cast<long double>(b[i]) * (n - 1)) /
        (2 * n);
    EXPECT_NEAR(wide[i], static_cast<double>(expected),
                std::fabs(expected) * 0x1p-24L + 8.5 * 0x1p-41)
        << i;
  }
}

TEST(Accumulator, LargestFloatsAndWeightsDoNotOverflow) {
  const float largest = std::numeric_limits<float>::max();
  const std::vector<float> a = {largest, -largest}, b = {largest, -largest};
  EXPECT_EQ(Merge(OneSegment(2), {{a, kMaxNarrowWeightSum - 1}, {b, 1}}), a);
  EXPECT_EQ(Merge(OneSegment(2), {{a, kMaxWeightSum - 1}, {b, 1}}), a);
  const float smallest = std::numeric_limits<float>::denorm_min();
  const std::vector<float> c = {smallest, -smallest};
  EXPECT_EQ(Merge(OneSegment(2), {{c, 3}, {c, 4}}), c);
}

TEST(Accumulator, PoolsMomentsAsOverTheUnionOfTheExamples) {
  // Worker 0 had 3 examples and worker 1 had 5. The expected values pool all 8 by the definition.
  const std::vector<float> a = {0, 0, /*mean*/ 1.5f, -2, /*variance*/ 0.25f, 4};
  const std::vector<float> b = {0, 0, /*mean*/ -0.5f, -2, /*variance*/ 1, 2};
  const std::vector<float> merged = Merge(WithMoments(2), {{a, 30}, {b, 50}});
  for (int i = 0; i < 2; ++i) {
    const double mean = (3.0 * a[2 + i] + 5.0 * b[2 + i]) / 8;
    const double variance = (3 * (a[4 + i] + std::pow(a[2 + i] - mean, 2)) +
                             5 * (b[4 + i] + std::pow(b[2 + i] - mean, 2))) /
                            8;
    EXPECT_FLOAT_EQ(merged[2 + i], mean);
    EXPECT_FLOAT_EQ(merged[4 + i], variance);
  }
  EXPECT_NE(merged[4], (3 * 0.25f + 5 * 1) / 8) << "a mean of variances";
}

TEST(Accumulator, ClampsAVarianceThatRoundingMadeNegative) {
  bool clamped = false;
  for (int i = 0; i < 100; ++i) {
    const float mean = 1 + i * 0.01f;
    const std::vector<float> a = {0, 0, mean, 0}, b = {0, 0, mean, 0};
    SegmentTable table = WithMoments(1);
    const float variance = Merge(table, {{a, 1}, {b, 1}})[3];
    EXPECT_GE(variance, 0.0f);
    EXPECT_FALSE(std::signbit(variance));
    clamped |= variance == 0;
  }
  EXPECT_TRUE(clamped);
}

TEST(Accumulator, RefusesAPooledVarianceBeyondFloat) {
  const std::vector<float> a = {0, 0, 1e30f, 0}, b = {0, 0, -1e30f, 0};
  std::vector<float> out(4);
  const Status status = test::MergeContributions(
      WithMoments(1), std::vector<test::WeightedVector>{{a, 1}, {b, 1}}, out);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(DescribeError(status), HasSubstr("bn.variance"));
}

TEST(Accumulator, CopiesASingleContributionBitForBit) {
  const std::vector<float> only = {-0.0f, std::numeric_limits<float>::denorm_min(), 1e-38f,
                                   3.4e38f};
  const std::vector<float> absent(4, 9);
  const std::vector<float> merged = Merge(OneSegment(4), {{absent, 0}, {only, 17}, {absent, 0}});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(std::bit_cast<uint32_t>(merged[i]), std::bit_cast<uint32_t>(only[i])) << i;
  }
}

TEST(Accumulator, NamesWhatIsNotFinite) {
  for (float bad : {kNaN, -kNaN, kInfinity, -kInfinity}) {
    std::vector<float> flat(300, 1);
    flat[2 + 129 + 57] = bad;
    const StatusOr<Magnitudes> magnitudes = MeasureMagnitudes(WithMoments(149), flat);
    ASSERT_FALSE(magnitudes.ok());
    EXPECT_EQ(magnitudes.status().code(), absl::StatusCode::kInvalidArgument);
    const std::string text = DescribeError(magnitudes.status());
    EXPECT_THAT(text, HasSubstr("element 37 of segment \"bn.variance\""));
    EXPECT_THAT(text, HasSubstr(std::isnan(bad) ? "NaN" : "infinite"));
  }
}

TEST(Accumulator, RefusesWithoutAddingAnything) {
  const std::vector<float> good = {1, 2}, above = {1, 4}, nan = {kNaN, 0}, other_size = {1};
  const GridExponents grid = {2};  // below 4
  Accumulator accumulator = *Accumulator::Create(OneSegment(2), grid, 2);
  ASSERT_TRUE(accumulator.Add(good, 1).ok());
  const Status status = accumulator.Add(above, 1);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(DescribeError(status), HasSubstr("dense.weight"));
  EXPECT_FALSE(accumulator.Add(nan, 1).ok());
  EXPECT_FALSE(accumulator.Add(other_size, 1).ok());
  EXPECT_FALSE(accumulator.Add(good, 2).ok()) << "more than the weights' sum";
  EXPECT_FALSE(accumulator.Add(good, 0).ok());
  EXPECT_FALSE(accumulator.Add(good, 1, Magnitudes{1.5}).ok()) << "not as announced";
  std::vector<float> out(2);
  EXPECT_EQ(accumulator.Finish(out).code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(accumulator.Add(good, 1, Magnitudes{2}).ok());
  ASSERT_TRUE(accumulator.Finish(out).ok());
  EXPECT_EQ(out, good);
  EXPECT_FALSE(accumulator.Finish(std::span(out).first(1)).ok());
}

TEST(Accumulator, RefusesValuesWhereAllWasAnnouncedZero) {
  Accumulator accumulator = *Accumulator::Create(OneSegment(1), {kZeroSegment}, 1);
  const std::vector<float> denormal = {std::numeric_limits<float>::denorm_min()}, zero = {-0.0f};
  EXPECT_FALSE(accumulator.Add(denormal, 1).ok());
  EXPECT_TRUE(accumulator.Add(zero, 1).ok());
}

// A segment is raised after the first contribution: only this segment is added again, for narrow
// and wide sums.
TEST(Accumulator, RaisedSegmentsAreAddedAgain) {
  SegmentTable table;
  table.Add("a", SegmentKind::kParameter, {2});
  table.Add("b", SegmentKind::kParameter, {1});
  const std::vector<float> x = {1.5f, -0.25f, 3}, y = {0.5f, 0.75f, 100};
  for (const int64_t weight : {int64_t{1}, int64_t{1} << 30}) {
    std::vector<float> out(3), expected(3);
    Accumulator whole = *Accumulator::Create(table, {1, 7}, 2 * weight);
    ASSERT_TRUE(whole.Add(x, weight).ok());
    ASSERT_TRUE(whole.Add(y, weight).ok());
    ASSERT_TRUE(whole.Finish(expected).ok());
    Accumulator accumulator = *Accumulator::Create(table, {1, 2}, 2 * weight);
    ASSERT_TRUE(accumulator.Add(x, weight).ok());
    const std::vector<size_t> first = {0}, second = {1}, beyond = {2};
    EXPECT_FALSE(accumulator.Raise({0, 7}).ok()) << "lower";
    EXPECT_FALSE(accumulator.Raise({1}).ok());
    EXPECT_FALSE(accumulator.AddMissing(x, weight, second).ok()) << "nothing is missing";
    EXPECT_THAT(*accumulator.Raise({1, 7}), ElementsAre(1));
    ASSERT_TRUE(accumulator.Add(y, weight).ok());
    EXPECT_EQ(accumulator.Finish(out).code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_FALSE(accumulator.AddMissing(x, weight, first).ok());
    EXPECT_FALSE(accumulator.AddMissing(x, weight + 1, second).ok());
    EXPECT_FALSE(accumulator.AddMissing(x, weight, beyond).ok());
    const std::vector<float> above = {1.5f, -0.25f, 128};
    EXPECT_FALSE(accumulator.AddMissing(above, weight, second).ok());
    const std::vector<size_t> twice = {1, 1};
    EXPECT_FALSE(accumulator.AddMissing(x, weight, twice).ok());
    ASSERT_TRUE(accumulator.AddMissing(x, weight, second).ok());
    EXPECT_FALSE(accumulator.AddMissing(x, weight, second).ok()) << "not twice";
    ASSERT_TRUE(accumulator.Finish(out).ok());
    EXPECT_EQ(out, expected);
  }
}

TEST(Accumulator, ResetClearsAllSums) {
  Accumulator accumulator = *Accumulator::Create(OneSegment(2), {3}, 1);
  const std::vector<float> before = {7, 7}, after = {0.25f, -1};
  std::vector<float> out(2);
  ASSERT_TRUE(accumulator.Add(before, 1).ok());
  for (int64_t sum : {int64_t{1}, int64_t{1} << 30, int64_t{1} << 30, int64_t{1}}) {
    ASSERT_TRUE(accumulator.Reset({1}, sum).ok());
    ASSERT_TRUE(accumulator.Add(after, sum).ok());
    ASSERT_TRUE(accumulator.Finish(out).ok());
    EXPECT_EQ(out, after);
  }
  EXPECT_FALSE(accumulator.Reset({1}, 0).ok());
  EXPECT_FALSE(accumulator.Reset({1}, kMaxWeightSum + 1).ok());
  EXPECT_FALSE(accumulator.Reset({129}, 1).ok());
  EXPECT_FALSE(accumulator.Reset({1, 1}, 1).ok());
}

#if defined(__SSE2__)
TEST(Accumulator, FlushedDenormalsOfACallingThreadDoNotShow) {
  const std::vector<float> a = {0x1p-140f, 3e-39f}, b = {0x1p-148f, -1e-39f};
  const std::vector<float> expected = Merge(OneSegment(2), {{a, 1}, {b, 2}});
  ASSERT_NE(expected[0], 0.0f);
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(0x9FC0);  // mode of engine threads
  std::vector<float> out(2);
  const Status status = test::MergeContributions(
      OneSegment(2), std::vector<test::WeightedVector>{{a, 1}, {b, 2}}, out);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(after & 0xFFC0u, 0x9FC0u & 0xFFC0u) << "restored";
  EXPECT_EQ(std::bit_cast<uint32_t>(out[0]), std::bit_cast<uint32_t>(expected[0]));
  EXPECT_EQ(std::bit_cast<uint32_t>(out[1]), std::bit_cast<uint32_t>(expected[1]));
}
#endif

}  // namespace
}  // namespace dl::averaging
