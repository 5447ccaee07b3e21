#include "base/ids.h"

#include "gtest/gtest.h"

namespace dl {
namespace {

TEST(UnitId, PrintsAndOrders) {
  const UnitId train = {.job = "lenet5-1", .kind = UnitKind::kTrain, .round = 12, .index = 3};
  EXPECT_EQ(ToString(train), "lenet5-1/train/12/3");
  EXPECT_EQ(ToString({.job = "j", .kind = UnitKind::kEvaluate, .round = 1, .index = 0}),
            "j/evaluate/1/0");
  EXPECT_LT(train, (UnitId{.job = "lenet5-1", .kind = UnitKind::kTrain, .round = 13, .index = 0}));
  EXPECT_LT(train,
            (UnitId{.job = "lenet5-1", .kind = UnitKind::kEvaluate, .round = 1, .index = 0}));
}

}  // namespace
}  // namespace dl
