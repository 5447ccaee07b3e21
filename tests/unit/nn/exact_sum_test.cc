#include "nn/metrics/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/philox.h"
#include "gtest/gtest.h"
#include "nn/metrics/metric_sums.h"

namespace dl::nn {
namespace {

ExactSum SumOf(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double term : terms) sum.Add(term);
  return sum;
}

TEST(ExactSum, SmallTermsSurviveLargeTerms) {
  EXPECT_EQ(SumOf({0x1p60, 1e-40, -0x1p60}).value(), SumOf({1e-40}).value());
  EXPECT_NEAR(SumOf({1e-40}).value(), 1e-40, 1e-45);
  EXPECT_EQ(SumOf({1e-8}).value(), 1e-8);
  EXPECT_EQ(SumOf({0x1p-150, 0x1p-151, -0x1p-151, 0x1p-152}).value(), 0x1p-150);
  EXPECT_EQ(SumOf({0x1p-1074, -0.0, 0.0}), ExactSum());
}

TEST(ExactSum, ValueIsTheNearestDouble) {
  EXPECT_EQ(SumOf({1, 0x1p-53}).value(), 1);                      // a tie: rounds to even
  EXPECT_EQ(SumOf({1, 0x1p-53, 0x1p-150}).value(), 1 + 0x1p-52);  // above the tie
  EXPECT_EQ(SumOf({-1, -0x1p-53, -0x1p-150}).value(), -1 - 0x1p-52);
  EXPECT_EQ(SumOf({0x1p62, 0x1p62}).value(), 0x1p63);
  EXPECT_EQ(SumOf({1e300}).value(), ExactSum::kLargestTerm);
}

TEST(ExactSum, OrderAndGroupingChangeNothing) {
  RandomStream random({.seed = 3, .purpose = RandomPurpose::kForTests});
  std::vector<double> terms;
  for (int i = 0; i < 500; ++i)
    terms.push_back(random.NextNormal() *
                    std::ldexp(1.0, static_cast<int>(random.Bounded(180)) - 120));
  const ExactSum all = SumOf(terms);
  for (int round = 0; round < 5; ++round) {
    for (size_t i = terms.size(); i > 1; --i) std::swap(terms[i - 1], terms[random.Bounded(i)]);
    const auto cut = static_cast<std::ptrdiff_t>(random.Bounded(terms.size()));
    ExactSum first = SumOf({terms.begin(), terms.begin() + cut});
    ASSERT_TRUE(first.Merge(SumOf({terms.begin() + cut, terms.end()})));
    EXPECT_EQ(first, all);
  }
  for (double& term : terms) term = -term;
  ExactSum nothing = all;
  ASSERT_TRUE(nothing.Merge(SumOf(terms)));
  EXPECT_EQ(nothing, ExactSum());
}

TEST(ExactSum, MergeThatDoesNotFitChangesNothing) {
  ExactSum sum = SumOf({0x1p62});
  for (int i = 0; i < 42; ++i) {  // 2^62 * 2^42 units of 2^-150: 254 bits
    const ExactSum same = sum;
    ASSERT_TRUE(sum.Merge(same)) << i;
  }
  const ExactSum before = sum;
  EXPECT_FALSE(sum.Merge(before));
  EXPECT_EQ(sum, before);
}

TEST(ExactSum, TextHasAFractionOnlyWhereItIsNeeded) {
  EXPECT_EQ(SumOf({0.5}).ToText(), "8388608");
  EXPECT_EQ(SumOf({-0.5}).ToText(), "-8388608");
  EXPECT_EQ(SumOf({0x1p-25}).ToText(), "1/2^1");
  EXPECT_EQ(SumOf({-3 * 0x1p-150}).ToText(), "-3/2^126");
  for (const double term : {0.0, 0.1, -0.1, 1e-30, 3e18, -0x1p62, 0x1p-150}) {
    const ExactSum sum = SumOf({term, term, 1.5 * term});
    EXPECT_EQ(ExactSum::FromText(sum.ToText()), sum) << sum.ToText();
  }
}

TEST(ExactSum, OtherTextsAreRefused) {
  for (const char* text : {"", "-", "-0", "007", "1x", "+1", "2/2^1", "1/2^0", "1/2^127", "1/2^-3",
                           "1/2^1x", "1/2^", "/2^1", "1/2", "1 ", "0/2^1"})
    EXPECT_FALSE(ExactSum::FromText(text)) << text;
  EXPECT_FALSE(ExactSum::FromText("1" + std::string(39, '0'))) << "10^39 units of 2^-24";
  EXPECT_FALSE(ExactSum::FromText(std::string(78, '9') + "/2^126"));
}

// A regression with targets of 1e-4: its squared errors are below 2^-24.
TEST(MetricSums, SmallLossesAreNotLost) {
  MetricSums sums;
  for (int i = 0; i < 1000; ++i) sums.AddLoss(1.1e-8);
  EXPECT_NEAR(sums.loss(), 1.1e-8, 1e-20);
  sums.AddPenalty(-1e-5);
  EXPECT_NEAR(sums.loss(), 1.1e-8 - 1e-8, 1e-20);
}

}  // namespace
}  // namespace dl::nn
