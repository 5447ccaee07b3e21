#include "base/sentences.h"

#include <gtest/gtest.h>

namespace dl {
namespace {

TEST(JoinSentences, FullStopSeparatesTexts) {
  EXPECT_EQ(JoinSentences("the file is empty", "Choose another"),
            "the file is empty. Choose another");
}
TEST(JoinSentences, EndedSentenceGetsNoSecondMark) {
  EXPECT_EQ(JoinSentences("there is no job \"a\"; did you mean \"b\"?", "List the jobs"),
            "there is no job \"a\"; did you mean \"b\"? List the jobs");
  EXPECT_EQ(JoinSentences("It ended.", "Start it"), "It ended. Start it");
}
TEST(JoinSentences, EmptyTextAddsNothing) {
  EXPECT_EQ(JoinSentences("the file is empty", ""), "the file is empty");
  EXPECT_EQ(JoinSentences("", "Choose another"), "Choose another");
  EXPECT_EQ(JoinSentences("", ""), "");
}

}  // namespace
}  // namespace dl
