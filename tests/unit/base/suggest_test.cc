#include "base/suggest.h"

#include <vector>

#include "gtest/gtest.h"

namespace dl {
namespace {

const std::vector<std::string> kWords = {"epochs", "workers", "batch_size", "seed"};

TEST(Suggest, SwapOfAdjacentLettersIsOneMistake) {
  EXPECT_EQ(EditDistance("seed", "sede"), 1);
  EXPECT_EQ(EditDistance("workers", "wrokesr"), 2);
  EXPECT_EQ(EditDistance("seed", "see"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("", "seed"), 4);
  EXPECT_EQ(EditDistance("seed", ""), 4);
  EXPECT_EQ(EditDistance("abcd", "acbd"), 1);
  EXPECT_EQ(EditDistance("ab", "cd"), 2);
}

TEST(Suggest, FindsNearestName) {
  EXPECT_EQ(Nearest("epoch", kWords), "epochs");
  EXPECT_EQ(Nearest("wrokers", kWords), "workers");
  EXPECT_EQ(Nearest("batchsize", kWords), "batch_size");
  EXPECT_EQ(DidYouMean("sede", kWords), "; did you mean \"seed\"?");
}

TEST(Suggest, SuggestsNothingForDistantNames) {
  EXPECT_EQ(Nearest("learning_rate", kWords), "");
  EXPECT_EQ(DidYouMean("", {}), "");
  EXPECT_EQ(Nearest(std::string(1'000'000, 'x'), kWords), "");
}

}  // namespace
}  // namespace dl
