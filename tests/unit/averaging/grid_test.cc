#include "averaging/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace dl::averaging {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

SegmentTable Table() {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {3});
  table.Add("b", SegmentKind::kParameter, {2});
  table.Add("mean", SegmentKind::kMean, {2});
  table.Add("variance", SegmentKind::kVariance, {2});
  return table;
}

TEST(Grid, MeasuresEachSegment) {
  const std::vector<float> flat = {1, -3, 2, 0, -0.0f, 3, -4, 100, 1};
  EXPECT_THAT(*MeasureMagnitudes(Table(), flat), ElementsAre(3, 0, 4, 109));
  EXPECT_FALSE(MeasureMagnitudes(Table(), std::span(flat).first(8)).ok());
}

TEST(Grid, MeasuresDenormalsAndLongVectors) {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {1000});
  for (int at : {0, 1, 511, 998, 999}) {
    std::vector<float> flat(1000, 0.0f);
    flat[at] = -0x1p-149f;
    EXPECT_THAT(*MeasureMagnitudes(table, flat), ElementsAre(0x1p-149)) << at;
  }
}

TEST(Grid, ExponentsAreThoseOfAllMagnitudesInAnyOrder) {
  const std::vector<Magnitudes> announced = {
      {0.5, 0, 1, 0x1p-298}, {0.75, 0, 0.9, 0}, {0.1, 0, 1.5, 0x1p255}};
  const GridExponents expected = {0, kZeroSegment, 1, 256};
  EXPECT_EQ(GridFor(Table(), announced), expected);
  EXPECT_EQ(GridFor(Table(), std::vector<Magnitudes>(announced.rbegin(), announced.rend())),
            expected);
  EXPECT_THAT(GridFor(Table(), std::vector<Magnitudes>{{1, 0.999, 0x1p-149, 0x1p-298}}),
              ElementsAre(1, 0, -148, -297));
  EXPECT_TRUE(CheckGrid(Table(), std::vector<int32_t>{1, 0, -148, -297}).ok());
}

TEST(Grid, ReportsIfItWasRaised) {
  GridExponents grid = {1, kZeroSegment, 0, 0};
  EXPECT_FALSE(RaiseGrid(grid, Magnitudes{1.99, 0, 0.5, 0.1}));
  EXPECT_TRUE(RaiseGrid(grid, Magnitudes{0, 1e-30, 0, 0}));
  EXPECT_FALSE(RaiseGrid(grid, Magnitudes{0, 1e-30, 0, 0}));
}

TEST(Grid, RefusesAnnouncementsThatFiniteFloatsCannotGive) {
  EXPECT_TRUE(CheckMagnitudes(Table(), Magnitudes{3.4e38, 0, 1, 1e77}).ok());
  for (double bad : {-0.0, -1.0, kInfinite, -kInfinite, std::numeric_limits<double>::quiet_NaN(),
                     1e39, 1e-46, 5e-324}) {
    const Status status = CheckMagnitudes(Table(), Magnitudes{0, bad, 0, 0});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(DescribeError(status), HasSubstr("segment \"b\"")) << bad;
  }
  EXPECT_FALSE(CheckMagnitudes(Table(), Magnitudes{0, 0, 0, 1e78}).ok());
  EXPECT_FALSE(CheckMagnitudes(Table(), Magnitudes{0, 0, 0}).ok());
  EXPECT_FALSE(CheckGrid(Table(), GridExponents{0, 0, 129, 0}).ok());
  EXPECT_FALSE(CheckGrid(Table(), GridExponents{0, -149, 0, 0}).ok());
  EXPECT_FALSE(CheckGrid(Table(), GridExponents{0, 0, 0}).ok());
}

TEST(Grid, RefusesTablesWithHalfAPair) {
  SegmentTable alone, reversed, unequal, two_variances;
  alone.Add("m", SegmentKind::kMean, {2});
  reversed.Add("v", SegmentKind::kVariance, {2});
  reversed.Add("m", SegmentKind::kMean, {2});
  unequal.Add("m", SegmentKind::kMean, {2});
  unequal.Add("v", SegmentKind::kVariance, {3});
  two_variances.Add("m", SegmentKind::kMean, {2});
  two_variances.Add("v", SegmentKind::kVariance, {2});
  two_variances.Add("v2", SegmentKind::kVariance, {2});
  for (const SegmentTable& table : {alone, reversed, unequal, two_variances}) {
    EXPECT_FALSE(CheckMergeable(table).ok());
  }
  EXPECT_TRUE(CheckMergeable(Table()).ok());
}

}  // namespace
}  // namespace dl::averaging
