#include "cli/clusters/slot_advice.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::cli {
namespace {

using testing::Optional;

TEST(SlotAdviceTest, FewerSlotsThanWorkersAreReported) {
  EXPECT_THAT(SlotAdvice({.workers = 16, .slots = 2}),
              Optional(std::string("16 workers and 2 slots: a round takes 8 turns; more executors, "
                                   "up to 16 slots, make it faster and change no result")));
  EXPECT_THAT(SlotAdvice({.workers = 4, .slots = 3}),
              Optional(testing::HasSubstr("4 workers and 3 slots: a round takes 2 turns")));
  EXPECT_THAT(SlotAdvice({.workers = 4, .slots = 1}),
              Optional(testing::HasSubstr("4 workers and 1 slot: a round takes 4 turns")));
}

// The job limits its executors, so more executors would compute nothing of it.
TEST(SlotAdviceTest, MaxExecutorsGivesNoAdvice) {
  EXPECT_EQ(SlotAdvice({.workers = 16, .slots = 2, .more_slots = SlotUse::MoreSlots::kWouldNot}),
            std::nullopt);
}

TEST(SlotAdviceTest, MoreSlotsThanWorkersAreReported) {
  EXPECT_THAT(
      SlotAdvice({.workers = 2, .slots = 16}),
      Optional(std::string("2 workers and 16 slots: 14 train nothing of this job; more workers "
                           "(training.workers) would use them, and make it another result")));
  EXPECT_THAT(SlotAdvice({.workers = 1, .slots = 2, .more_slots = SlotUse::MoreSlots::kWouldNot}),
              Optional(testing::HasSubstr("1 worker and 2 slots: 1 trains nothing of this job")));
}

TEST(SlotAdviceTest, FittingOrUnknownSlotsGiveNoAdvice) {
  EXPECT_EQ(SlotAdvice({.workers = 4, .slots = 4}), std::nullopt);
  EXPECT_EQ(SlotAdvice({.workers = 4, .slots = 0}), std::nullopt);
}

}  // namespace
}  // namespace dl::cli
