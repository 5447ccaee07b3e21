#include "web/documents/reason_text.h"

#include "gtest/gtest.h"
#include "master/core/job/job_state.h"

namespace dl::web {
namespace {

TEST(ReasonText, EachReasonOfTheMasterHasAText) {
  int reasons = 0;
  for (int number = 1; number < 256; ++number) {
    const std::string word(master::ReasonName(static_cast<master::Reason>(number)));
    if (word == "?") continue;  // no enumerator
    ++reasons;
    EXPECT_NE(ReasonText(word), word);
  }
  EXPECT_GE(reasons, 18);
}

TEST(ReasonText, UnknownReasonIsItsWord) {
  EXPECT_EQ(ReasonText("of_a_newer_master"), "of_a_newer_master");
  EXPECT_EQ(ReasonText(""), "");
}

}  // namespace
}  // namespace dl::web
