#include "web/documents/slot_assignment.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::web {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(AssignSlots, LeasesAtTheSameTimeHaveDifferentSlots) {
  EXPECT_THAT(AssignSlots(std::vector<LeaseTime>{{0, 10}, {1, 11}, {2, 12}, {10, 20}, {12, 20}}),
              ElementsAre(0, 1, 2, 0, 1));
}

// The end of a lease may arrive after the begin of the next one.
TEST(AssignSlots, ShortOverlapIsInTheSameSlot) {
  std::vector<LeaseTime> leases;
  for (int i = 0; i < 100; ++i) leases.push_back({10.0 * i, 10.0 * i + 10.4});
  EXPECT_THAT(AssignSlots(leases), Each(0));
  for (LeaseTime& lease : leases) lease.end += 1;
  EXPECT_THAT(AssignSlots(leases), testing::Contains(1));
}

TEST(AssignSlots, ManyLeasesAtOnceHaveTheirOwnSlots) {
  const std::vector<LeaseTime> leases(300, {.begin = 0, .end = 10});
  EXPECT_EQ(std::ranges::max(AssignSlots(leases)), 284u) << "at most a twentieth overlaps";
}

TEST(AssignSlots, LeasesWithoutTimeShareASlot) {
  EXPECT_THAT(AssignSlots(std::vector<LeaseTime>{{5, 5}, {5, 5}, {6, 6}}), Each(0));
  EXPECT_TRUE(AssignSlots({}).empty());
}

}  // namespace
}  // namespace dl::web
