// Values and summaries of series are restored from their packed bytes.
#include "storage/series/value_packing.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/philox.h"
#include "gtest/gtest.h"
#include "storage/series/value_summary.h"
#include "tests/support/status_matchers.h"

namespace dl::storage {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<uint32_t> BitsOf(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

void ExpectRestored(const std::vector<float>& values) {
  const auto restored = UnpackValues(PackValues(values));
  DL_ASSERT_OK(restored);
  EXPECT_EQ(BitsOf(*restored), BitsOf(values));
}

TEST(PackedValues, AreRestoredBitByBit) {
  ExpectRestored({});
  ExpectRestored({0});
  ExpectRestored({1.5F, kNoValue, -2.25F, kInfinity, -kInfinity, 0});
  ExpectRestored({kNoValue, kNoValue});
  ExpectRestored({std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max(),
                  std::numeric_limits<float>::lowest(), -1e-30F});
  RandomStream random({.seed = 1});
  std::vector<float> values;
  while (values.size() < kMaxPackedValues) {
    const auto value = std::bit_cast<float>(random.NextU32());
    if (HasValue(value) && value != 0) values.push_back(value);
  }
  ExpectRestored(values);
}

TEST(PackedValues, LoseOnlyTheSignOfZeroAndTheKindOfNaN) {
  const auto restored = UnpackValues(PackValues(std::vector{-0.0F, -std::nanf("7")}));
  DL_ASSERT_OK(restored);
  EXPECT_EQ(BitsOf(*restored), BitsOf({0.0F, kNoValue}));
}

TEST(PackedValues, DamagedBytesAreDataLossOrOtherValues) {
  std::vector<float> values;
  for (int i = 0; i < 300; ++i) values.push_back(i % 7 == 0 ? kNoValue : std::sqrt(i * 1.0F));
  const std::string packed = PackValues(values);
  for (size_t size = 0; size < packed.size(); ++size)
    EXPECT_TRUE(absl::IsDataLoss(UnpackValues(packed.substr(0, size)).status())) << size;
  RandomStream random({.seed = 2});
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = packed;
    for (int changes = 0; changes < 3; ++changes)
      damaged[random.Bounded(damaged.size())] = static_cast<char>(random.NextU32());
    const auto restored = UnpackValues(damaged);  // must not read or allocate out of bounds
    if (restored.ok())
      EXPECT_LE(restored->size(), kMaxPackedValues);
    else
      EXPECT_TRUE(absl::IsDataLoss(restored.status()));
  }
}

TEST(RoundToShort, HasNineSignificantBits) {
  EXPECT_EQ(RoundToShort(1.0F), 1.0F);
  EXPECT_EQ(RoundToShort(511.0F), 511.0F);
  EXPECT_EQ(RoundToShort(513.0F), 512.0F);  // a tie goes to the even one
  EXPECT_EQ(RoundToShort(515.0F), 516.0F);
  EXPECT_EQ(RoundToShort(-515.0F), -516.0F);
  EXPECT_EQ(RoundToShort(0.0F), 0.0F);
  EXPECT_EQ(RoundToShort(kInfinity), kInfinity);
  EXPECT_EQ(RoundToShort(std::numeric_limits<float>::max()), kInfinity);
  EXPECT_FALSE(HasValue(RoundToShort(kNoValue)));
  RandomStream random({.seed = 3});
  for (int i = 0; i < 10'000; ++i) {
    const float value =
        std::ldexp(static_cast<float>(random.NextU32()), static_cast<int>(i % 60) - 50);
    EXPECT_LE(std::abs(RoundToShort(value) - value), std::abs(value) / 512);
  }
}

TEST(RoundToShort, SavesHalfOfTheBytes) {
  RandomStream random({.seed = 4});
  std::vector<float> exact, rounded;
  for (int i = 0; i < 1024; ++i) {
    exact.push_back(static_cast<float>(3e-3 * (1 + 0.05 * random.NextNormal())));
    rounded.push_back(RoundToShort(exact.back()));
  }
  EXPECT_LT(PackValues(rounded).size(), PackValues(exact).size() / 2);
}

TEST(ValueSummary, HasFirstLastLeastLargestAndMean) {
  const ValueSummary summary = Summarize(std::vector{2.0F, kNoValue, 5.0F, -1.0F}, false);
  EXPECT_EQ(summary,
            (ValueSummary{.first = 2, .last = -1, .min = -1, .max = 5, .mean = 2, .count = 3}));
  EXPECT_EQ(Summarize(std::vector{kNoValue}, false), ValueSummary());
  const ValueSummary later = Summarize(std::vector{8.0F}, false);
  EXPECT_EQ(Summarize(std::vector{ValueSummary(), summary, ValueSummary(), later}, false),
            (ValueSummary{.first = 2, .last = 8, .min = -1, .max = 8, .mean = 3.5F, .count = 4}));
}

TEST(ValueSummary, IsRestored) {
  const std::vector<ValueSummary> summaries = {Summarize(std::vector{1.0F, 2.0F, 4.0F}, false),
                                               {},
                                               Summarize(std::vector{-0.125F, 1e30F}, true)};
  const auto restored = UnpackSummaries(PackSummaries(summaries));
  DL_ASSERT_OK(restored);
  EXPECT_EQ(*restored, summaries);
  EXPECT_TRUE(absl::IsDataLoss(UnpackSummaries(PackValues(std::vector{1.0F})).status()));
}

}  // namespace
}  // namespace dl::storage
