#include "base/segment_table.h"

#include <vector>

#include "gmock/gmock.h"

namespace dl {
namespace {

SegmentTable Example() {
  SegmentTable table;
  table.Add("dense1.weight", SegmentKind::kParameter, {2, 3});
  table.Add("dense1.bias", SegmentKind::kParameter, {3});
  table.Add("bn.mean", SegmentKind::kMean, {1});
  table.Add("bn.variance", SegmentKind::kVariance, {1});
  table.Add("dense1.weight/momentum", SegmentKind::kUpdater, {2, 3});
  return table;
}

TEST(SegmentTable, OffsetsAreDense) {
  const SegmentTable table = Example();
  EXPECT_EQ(table.size(), 17);
  EXPECT_EQ(table.segments()[4].offset, 11);
  EXPECT_EQ(table.segments()[4].size, 6);
  EXPECT_EQ(table.SizeOf(SegmentKind::kParameter), 9);
  EXPECT_EQ(table.SizeOf(SegmentKind::kUpdater), 6);
  EXPECT_EQ(table.Find("bn.mean")->offset, 9);
  EXPECT_EQ(table.Find("none"), nullptr);
}

TEST(SegmentTable, ScalarsAndEmptyOnes) {
  SegmentTable table;
  table.Add("scalar", SegmentKind::kParameter, {});
  table.Add("empty", SegmentKind::kParameter, {0, 5});
  EXPECT_EQ(table.segments()[0].size, 1);
  EXPECT_EQ(table.segments()[1].size, 0);
  EXPECT_EQ(table.size(), 1);
}

TEST(SegmentTable, ViewIsThePartOfTheVector) {
  const SegmentTable table = Example();
  std::vector<float> flat(table.size());
  for (size_t i = 0; i < flat.size(); ++i) flat[i] = static_cast<float>(i);
  EXPECT_THAT(table.View(*table.Find("dense1.bias"), std::span<const float>(flat)),
              testing::ElementsAre(6, 7, 8));
}

TEST(SegmentTable, SubsetIsDenseAgain) {
  const SegmentKind kinds[] = {SegmentKind::kUpdater, SegmentKind::kMean};
  const SegmentTable subset = Example().Subset(kinds);
  ASSERT_EQ(subset.segments().size(), 2u);
  EXPECT_EQ(subset.segments()[0].name, "bn.mean");
  EXPECT_EQ(subset.segments()[1].offset, 1);
  EXPECT_EQ(subset.size(), 7);
}

TEST(SegmentTable, KindsHaveNames) {
  EXPECT_EQ(SegmentKindName(SegmentKind::kParameter), "parameter");
  EXPECT_EQ(SegmentKindName(SegmentKind::kVariance), "variance");
}

// The test vector of docs/formats.md; computed apart from this code with Python's struct and
// hashlib.
TEST(StateSha256, TestVector) {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {1, 2});
  table.Add("b.mean", SegmentKind::kMean, {1});
  SegmentTable worker_table;
  worker_table.Add("w/momentum", SegmentKind::kUpdater, {2});
  const std::vector<float> flat = {1.0f, -2.5f, 0.25f}, worker0 = {0.5f, 0.0f},
                           worker1 = {-0.0f, 3.0f};
  EXPECT_EQ(StateSha256(table, flat),
            "fc9edb9666f009cf074d5bf5b6269e8b436efc43435b234bc0e1b98c21d5a8ac");
  const std::span<const float> workers[] = {worker0, worker1};
  EXPECT_EQ(StateSha256(table, flat, worker_table, workers),
            "25a08f1c06b2b2cac958cec8452b03ffe58dbfa6e9acc8183078d6af50171d33");
}

TEST(StateSha256, EveryPartCounts) {
  const std::vector<float> flat = {1, 2, 3, 4}, other = {1, 2, 3, 5};
  const auto hash = [&](std::string name, SegmentKind kind, std::vector<int64_t> shape,
                        const std::vector<float>& values) {
    SegmentTable table;
    table.Add(std::move(name), kind, std::move(shape));
    return StateSha256(table, values);
  };
  const std::string base = hash("w", SegmentKind::kParameter, {4}, flat);
  EXPECT_EQ(base, hash("w", SegmentKind::kParameter, {4}, flat));
  EXPECT_NE(base, hash("v", SegmentKind::kParameter, {4}, flat));
  EXPECT_NE(base, hash("w", SegmentKind::kUpdater, {4}, flat));
  EXPECT_NE(base, hash("w", SegmentKind::kParameter, {2, 2}, flat));
  EXPECT_NE(hash("w", SegmentKind::kParameter, {4, 1}, flat),
            hash("w", SegmentKind::kParameter, {2, 2}, flat));
  EXPECT_NE(base, hash("w", SegmentKind::kParameter, {4}, other));
}

}  // namespace
}  // namespace dl
