// Partial sums that an executor sends: their layout, and sums that are impossible.
#include "averaging/partial_sum.h"

#include <gtest/gtest.h>

#include <cstring>

#include "averaging/round_mean.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/averaging/random_case.h"

namespace dl::averaging {
namespace {

using dl::test::IsError;

std::vector<std::byte> Whole(const PartialSum& sum) {
  std::vector<std::byte> bytes;
  for (const auto piece : sum.pieces()) bytes.insert(bytes.end(), piece.begin(), piece.end());
  return bytes;
}

// Partial sums of one, of several and of all workers.
TEST(PartialSum, GroupsGiveSameBits) {
  for (uint64_t number = 0; number < 500; ++number) {
    const RandomCase c = MakeRandomCase(number, 200, 9);
    if (c.vectors.size() < 2) continue;
    const StateLayout layout = *StateLayout::Create(c.table, UpdaterStatePolicy::kAverage);
    const Weights weights = *NormalizeWeights(c.examples);
    if (!MaySum(weights.sum)) continue;
    std::vector<Magnitudes> magnitudes;
    for (const auto& vector : c.vectors) magnitudes.push_back(*MeasureMagnitudes(c.table, vector));
    const GridExponents grid = GridFor(c.table, magnitudes);
    RoundMean one_by_one(layout), by_sums(layout);
    DL_ASSERT_OK(one_by_one.Open({.weights = weights, .grid = grid}));
    DL_ASSERT_OK(by_sums.Open({.weights = weights, .grid = grid}));
    RandomStream random({.seed = 5, .purpose = RandomPurpose::kForTests, .a = number});
    std::vector<int64_t> group;
    for (size_t m = 0; m < c.vectors.size(); ++m) {
      if (weights.weight[m] > 0) {
        DL_ASSERT_OK(one_by_one.Accumulate(static_cast<int64_t>(m), c.vectors[m]));
        group.push_back(static_cast<int64_t>(m));
      }
      if (group.empty() || (m + 1 < c.vectors.size() && random.Bounded(2) == 0)) continue;
      auto sum = PartialSum::Create(layout, grid, weights.sum);
      DL_ASSERT_OK(sum);
      for (const int64_t worker : group)
        DL_ASSERT_OK(sum->Add(c.vectors[worker], weights.weight[worker], magnitudes[worker]));
      DL_ASSERT_OK(by_sums.AccumulateSum(group, Whole(*sum)));
      group.clear();
    }
    std::vector<float> expected(c.table.size()), got(c.table.size());
    const std::span<float> into_expected = expected, into_got = got;
    DL_ASSERT_OK(one_by_one.Close(std::span(&into_expected, 1)));
    DL_ASSERT_OK(by_sums.Close(std::span(&into_got, 1)));
    ASSERT_EQ(std::memcmp(expected.data(), got.data(), expected.size() * sizeof(float)), 0)
        << "case " << number;
  }
}

class KeptParts : public testing::Test {
 protected:
  KeptParts() {
    SegmentTable table;
    table.Add("w", SegmentKind::kParameter, {2});
    table.Add("w/momentum", SegmentKind::kUpdater, {2});
    layout_ = *StateLayout::Create(table, UpdaterStatePolicy::kKeep);
  }
  StateLayout layout_;
};

TEST_F(KeptParts, FollowSumsInOrderOfInputs) {
  auto sum = PartialSum::Create(layout_, {1}, 4);
  DL_ASSERT_OK(sum);
  const std::vector<float> a = {1, 1.5f, 7, 8}, b = {-1, 0.5f, 9, 10};
  DL_ASSERT_OK(sum->Add(a, 3, {}));
  DL_ASSERT_OK(sum->Add(b, 1, {}));
  const std::vector<std::byte> bytes = Whole(*sum);
  ASSERT_EQ(static_cast<int64_t>(bytes.size()), PartialSumBytes(layout_, 2));
  std::vector<int64_t> sums(2);
  ASSERT_EQ(SumsOf(layout_, bytes).size(), sizeof(int64_t) * 2);
  std::memcpy(sums.data(), bytes.data(), sizeof(int64_t) * 2);
  constexpr int64_t kOne = int64_t{1} << 40;  // on a grid with exponent 1
  EXPECT_EQ(sums, (std::vector<int64_t>{2 * kOne, 5 * kOne}));
  for (const int64_t input : {0, 1}) {
    std::vector<float> part(2);
    const auto own = WorkerPartsOf(layout_, input, bytes);
    ASSERT_EQ(own.size(), 1u);
    ASSERT_EQ(own.front().size(), sizeof(float) * 2);
    std::memcpy(part.data(), own.front().data(), sizeof(float) * 2);
    const std::vector<float>& unit = input == 0 ? a : b;
    EXPECT_EQ(part, std::vector<float>(unit.begin() + 2, unit.end()));
  }
}

TEST_F(KeptParts, WrongSizeOrMagnitudeIsRefused) {
  auto sum = PartialSum::Create(layout_, {1}, 4);
  DL_ASSERT_OK(sum);
  EXPECT_THAT(sum->Add(std::vector<float>(3), 1, {}),
              IsError(absl::StatusCode::kInvalidArgument, "3"));
  EXPECT_THAT(sum->Add(std::vector<float>{2, 0, 0, 0}, 1, {}),
              IsError(absl::StatusCode::kInvalidArgument, "grid"));
  EXPECT_THAT(PartialSum::Create(layout_, {1}, kMaxNarrowWeightSum + 1),
              IsError(absl::StatusCode::kInvalidArgument, "too large"));
}

TEST_F(KeptParts, ImpossibleSumIsRefused) {
  RoundMean mean(layout_);
  EXPECT_THAT(mean.AccumulateSum({}, {}),
              IsError(absl::StatusCode::kInvalidArgument, "no workers"));
  DL_ASSERT_OK(
      mean.Open({.weights = *NormalizeWeights(std::vector<int64_t>{1, 1, 2}), .grid = {1}}));
  const std::vector<int64_t> workers = {0, 2};
  constexpr int64_t kMost = int64_t{3} << kFractionBits;  // for a weight of 3
  for (const int64_t wrong : {kMost + 1, -kMost - 1, INT64_MAX, INT64_MIN}) {
    const std::vector<int64_t> sums = {0, wrong};
    EXPECT_THAT(
        mean.AccumulateSum(workers, std::as_bytes(std::span(sums))),
        IsError(absl::StatusCode::kInvalidArgument, "larger than contributions of weight 3"));
  }
  const std::vector<int64_t> three(3), most = {kMost, -kMost};
  EXPECT_THAT(mean.AccumulateSum(workers, std::as_bytes(std::span(three))),
              IsError(absl::StatusCode::kInvalidArgument, "24 bytes"));
  const std::vector<int64_t> nobody = {0, 3};
  EXPECT_THAT(mean.AccumulateSum(nobody, std::as_bytes(std::span(most))),
              IsError(absl::StatusCode::kInvalidArgument, "no unit"));
  DL_EXPECT_OK(mean.AccumulateSum(workers, std::as_bytes(std::span(most))));
}

}  // namespace
}  // namespace dl::averaging
