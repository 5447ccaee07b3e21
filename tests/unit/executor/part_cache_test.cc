#include "executor/part_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dl::executor {
namespace {

using testing::UnorderedElementsAre;

VerifiedPart Part(int64_t floats) {
  return {std::make_shared<const FloatBuffer>(*FloatBuffer::Create(floats)), "pieces"};
}

TEST(PartCache, HoldsTwoRoundsPerJob) {
  PartCache cache(1 << 20);
  for (int64_t round = 1; round <= 5; ++round) {
    cache.Insert({"a", round, "a" + std::to_string(round)}, Part(10));
    if (round <= 2) cache.Insert({"b", round, "b" + std::to_string(round)}, Part(10));
  }
  EXPECT_THAT(cache.Names(), UnorderedElementsAre("a4", "a5", "b1", "b2"));
  EXPECT_EQ(cache.Find("a3").values, nullptr);
}

TEST(PartCache, RecomputedRoundKeepsNewerParts) {
  PartCache cache(1 << 20);
  cache.Insert({"a", 5, "a5"}, Part(10));
  cache.Insert({"a", 3, "a3"}, Part(10));
  EXPECT_THAT(cache.Names(), UnorderedElementsAre("a3", "a5"));
}

TEST(PartCache, ByteLimitDropsLeastRecentlyUsed) {
  PartCache cache(3 * 40);
  for (const char* name : {"p", "q", "r"}) cache.Insert({"a", 1, name}, Part(10));
  EXPECT_NE(cache.Find("p").values, nullptr);
  EXPECT_EQ(cache.Find("p").pieces, "pieces");
  cache.Insert({"a", 1, "s"}, Part(10));
  EXPECT_THAT(cache.Names(), UnorderedElementsAre("p", "r", "s"));
  cache.Insert({"a", 1, "huge"}, Part(1000));
  EXPECT_THAT(cache.Names(), UnorderedElementsAre("huge"));
  cache.Insert({"a", 1, "p"}, Part(10));
  EXPECT_THAT(cache.Names(), UnorderedElementsAre("p"));
}

TEST(PartCache, NumberOfPartsIsLimited) {
  PartCache cache(1 << 20, 2);
  for (const char* name : {"p", "q", "r"}) cache.Insert({name, 1, name}, Part(1));
  EXPECT_THAT(cache.Names(), UnorderedElementsAre("q", "r"));
}

}  // namespace
}  // namespace dl::executor
