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

}  // namespace
}  // namespace dl
