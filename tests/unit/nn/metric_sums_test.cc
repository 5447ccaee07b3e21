#include "nn/metrics/metric_sums.h"

#include <cmath>
#include <limits>
#include <map>

#include "base/json.h"
#include "gtest/gtest.h"

namespace dl::nn {
namespace {

MetricSums Sample(int seed) {
  MetricSums sums(3);
  for (int i = 0; i < 5 + seed; ++i) {
    sums.AddLoss(0.1 * seed + 0.37 * i);
    sums.AddPrediction(i % 3, (i * seed) % 3);
  }
  return sums;
}

TEST(MetricSums, DerivesMeanLossAccuracyPrecisionAndRecall) {
  MetricSums sums(2);
  sums.AddLoss(0.5);
  sums.AddLoss(1.5);
  sums.AddLoss(0.25);
  sums.AddLoss(0.75);
  sums.AddPrediction(0, 0);
  sums.AddPrediction(0, 1);
  sums.AddPrediction(1, 1);
  sums.AddPrediction(1, 1);
  EXPECT_DOUBLE_EQ(sums.loss(), 0.75);
  EXPECT_DOUBLE_EQ(sums.accuracy(), 0.75);
  EXPECT_DOUBLE_EQ(sums.Precision(1), 2.0 / 3);
  EXPECT_DOUBLE_EQ(sums.Recall(1), 1.0);
  EXPECT_DOUBLE_EQ(sums.Precision(0), 1.0);
  EXPECT_DOUBLE_EQ(sums.Recall(0), 0.5);
}

TEST(MetricSums, MergesExactlyInAnyOrder) {
  const MetricSums a = Sample(1), b = Sample(2), c = Sample(3);
  MetricSums left = a, right = c;
  ASSERT_TRUE(left.Merge(b).ok() && left.Merge(c).ok());
  ASSERT_TRUE(right.Merge(b).ok() && right.Merge(a).ok());
  EXPECT_EQ(left, right);
  EXPECT_EQ(left.examples(), 6 + 7 + 8);
}

// A merged sum may be larger than every announced sum.
TEST(MetricSums, AnySumThatMergesIsReadBack) {
  Json large = Sample(1).ToJson();
  for (const char* sum : {"60000000000000000000000000000000000000",
                          "-85070591730234615865843651857942052864", "-1"}) {
    large["loss_sum"] = sum;
    auto merged = MetricSums::FromJson(large, "m");
    ASSERT_TRUE(merged.ok()) << merged.status();
    ASSERT_TRUE(merged->Merge(*MetricSums::FromJson(large, "m")).ok());
    const auto again = MetricSums::FromJson(*ParseJson(JsonText(merged->ToJson()), "m"), "m");
    ASSERT_TRUE(again.ok()) << again.status() << merged->ToJson();
    EXPECT_EQ(*again, *merged);
  }
  large["loss_sum"] = "680564733841876926926749214863536422911";
  auto largest = MetricSums::FromJson(large, "m");
  ASSERT_TRUE(largest.ok());
  EXPECT_FALSE(largest->Merge(Sample(1)).ok()) << "one more does not fit";
  for (const char* wrong : {"680564733841876926926749214863536422912", "", "-", "-0", "007", "1e3",
                            "1361129467683753853853498429727072845824"}) {
    large["loss_sum"] = wrong;
    EXPECT_FALSE(MetricSums::FromJson(large, "m").ok()) << wrong;
  }
}

TEST(MetricSums, ImpossibleLossSumIsRefused) {
  EXPECT_TRUE(MetricSums().HasPossibleLoss());
  MetricSums large;
  for (int i = 0; i < 4; ++i) large.AddLoss(1e300);
  large.AddPenalty(1e300);
  EXPECT_TRUE(large.HasPossibleLoss());
  Json said = large.ToJson();
  said["loss_sum"] = "-60000000000000000000000000000000000000";
  EXPECT_FALSE(MetricSums::FromJson(said, "m")->HasPossibleLoss());
}

// Existing cells of a matrix are added in place. New cells are inserted before, between and after
// them.
TEST(MetricSums, MergesConfusionMatricesOfAnyCells) {
  constexpr int64_t kClasses = 4;
  std::map<int64_t, int64_t> counts;
  MetricSums all(kClasses);
  for (const std::vector<int64_t>& cells : std::vector<std::vector<int64_t>>{
           {1, 5, 9}, {1, 5, 9}, {5}, {1, 6, 9}, {9, 15}, {0, 1}, {}, {0, 1, 5, 6, 9, 15}}) {
    MetricSums one(kClasses);
    for (const int64_t cell : cells) {
      one.AddLoss(0);
      one.AddPrediction(cell / kClasses, cell % kClasses);
      ++counts[cell];
    }
    ASSERT_TRUE(all.Merge(one).ok());
    for (int64_t cell = 0; cell < kClasses * kClasses; ++cell)
      ASSERT_EQ(all.Confused(cell / kClasses, cell % kClasses), counts[cell]) << cell;
  }
  EXPECT_TRUE(MetricSums::FromJson(all.ToJson(), "metrics").ok()) << "ascending, none twice";
}

TEST(MetricSums, RefusesOtherClassesAndKeepsItsValue) {
  MetricSums a = Sample(1);
  const MetricSums before = a;
  EXPECT_EQ(a.Merge(MetricSums(4)).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(a, before);
}

TEST(MetricSums, NonFiniteLossesAreCountedAndHugeOnesSaturate) {
  MetricSums sums;
  sums.AddLoss(std::numeric_limits<double>::quiet_NaN());
  sums.AddLoss(std::numeric_limits<double>::infinity());
  EXPECT_EQ(sums.non_finite(), 2);
  EXPECT_TRUE(std::isnan(sums.loss()));
  MetricSums huge;
  for (int i = 0; i < 1000; ++i) huge.AddLoss(1e300);
  EXPECT_DOUBLE_EQ(huge.loss(), 0x1.0p62);
}

// Losses may be negative, for example the logarithm of a density, or a reward.
TEST(MetricSums, NegativeLossesCount) {
  MetricSums sums;
  sums.AddLoss(-0.75);
  sums.AddLoss(0.25);
  EXPECT_DOUBLE_EQ(sums.loss(), -0.25);
  EXPECT_EQ(sums.ToJson()["loss_sum"], "-8388608");
  MetricSums mirrored, huge;
  for (const double loss : {0.1, 1e-9, 2.5 * 0x1.0p-24, 3e18}) {
    sums.AddLoss(-loss);
    mirrored.AddLoss(loss);
    huge.AddLoss(-1e300);
  }
  EXPECT_DOUBLE_EQ(huge.loss(), -0x1.0p62);
  const auto back = MetricSums::FromJson(sums.ToJson(), "metrics");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, sums);
  // A value that is added and subtracted again leaves exactly 0, despite rounding.
  ASSERT_TRUE(sums.Merge(mirrored).ok());
  EXPECT_EQ(sums.ToJson()["loss_sum"], "-8388608");
}

// 4096 classes have 2^24 cells; the text has about as many entries as were counted.
TEST(MetricSums, ManyClassesTakeNoRoom) {
  MetricSums sums(4096);
  for (int64_t i = 0; i < 100; ++i) {
    sums.AddLoss(1);
    sums.AddPrediction(40 * i, 7);
  }
  EXPECT_LT(sums.ToJson().dump().size(), 2000u);
  EXPECT_EQ(sums.Confused(3960, 7), 1);
  EXPECT_EQ(sums.Confused(7, 3960), 0);
}

TEST(MetricSums, RoundTripsThroughJson) {
  MetricSums sums = Sample(2);
  sums.AddLoss(1e18);  // beyond 64 bits on the grid
  const auto back = MetricSums::FromJson(sums.ToJson(), "metrics");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, sums);
}

TEST(MetricSums, InconsistentJsonIsRefused) {
  Json json = Sample(2).ToJson();
  json["correct"] = 1000;
  EXPECT_EQ(MetricSums::FromJson(json, "metrics").status().code(),
            absl::StatusCode::kInvalidArgument);
  json = Sample(2).ToJson();
  json["confusion"].erase(0);
  EXPECT_FALSE(MetricSums::FromJson(json, "metrics").ok());
  // Sample(2) has 7 predictions of 3 classes.
  for (const Json& wrong :
       {Json{0, 3, 1}, Json{3, 0, 1}, Json{0, 0, 0}, Json{0, 0, 8}, Json{0, 0, 4, 1, 1, 4},
        Json{1, 1, 1, 0, 0, 1}, Json{0, 0, 1, 0, 0, 1}}) {
    json["confusion"] = wrong;
    EXPECT_FALSE(MetricSums::FromJson(json, "metrics").ok()) << wrong;
  }
  json["confusion"] = Json{0, 0, 3, 1, 1, 4};
  EXPECT_TRUE(MetricSums::FromJson(json, "metrics").ok());
  json = Sample(2).ToJson();
  for (const char* wrong : {"12x", "", "-", "-0", "007", "--1", "1-", "+1", "2/2^1", "1/2^0",
                            "1/2^127", "1/2^", "/2^1"}) {
    json["loss_sum"] = wrong;
    EXPECT_FALSE(MetricSums::FromJson(json, "metrics").ok()) << wrong;
  }
}

TEST(MetricSums, PenaltyCountsPerCountedExample) {
  MetricSums sums;
  sums.AddLoss(1);
  sums.AddLoss(3);
  sums.AddPenalty(0.5);
  sums.AddPenalty(-0.25);
  EXPECT_EQ(sums.examples(), 2);
  EXPECT_EQ(sums.loss(), (1 + 3 + 0.5 - 0.25) / 2);
  // The number of examples that are not finite never exceeds the number of examples.
  for (int i = 0; i < 3; ++i) sums.AddPenalty(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(sums.non_finite(), 2);
  EXPECT_TRUE(MetricSums::FromJson(sums.ToJson(), "").ok());
}

}  // namespace
}  // namespace dl::nn
