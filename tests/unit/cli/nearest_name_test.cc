#include "cli/nearest_name.h"

#include "gtest/gtest.h"

namespace dl::cli {
namespace {

std::string Suggested(std::string_view word) {
  return DidYouMeanName(word, {"lenet5-1", "resnet18-2", "lenet5-3", "rest"});
}

TEST(NearestName, NewestJobOfANameComesBeforeTheNearestName) {
  EXPECT_EQ(Suggested("lenet5"), "; did you mean \"lenet5-3\"?");
  EXPECT_EQ(Suggested("lenet5-4"), "; did you mean \"lenet5-1\"?");
  EXPECT_EQ(Suggested("pest"), "; did you mean \"rest\"?");
  EXPECT_EQ(Suggested(""), "");
  EXPECT_EQ(Suggested("ReST"), "; did you mean \"rest\"?");
  EXPECT_EQ(Suggested("net18"), "; did you mean \"resnet18-2\"?");
  EXPECT_EQ(Suggested("transformer"), "");
}

}  // namespace
}  // namespace dl::cli
