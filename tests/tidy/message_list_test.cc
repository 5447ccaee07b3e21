#include "tests/tidy/message_list.h"

#include "gtest/gtest.h"

namespace dl::tidy {
namespace {

std::string ListOf(const std::string& code) {
  const auto lists = ListMessages({{"cli/a.cc", code}});
  return lists.empty() ? "" : lists.at("tests/golden/messages/cli.txt");
}

TEST(MessageList, HasMessagesAndRemedies) {
  EXPECT_EQ(ListOf(R"cc(return NotFound({.message = absl::StrCat("no job \"", id, "\" of ", a, b),
                                         .where = where,
                                         .remedy = "List the jobs "
                                                   "with: list"});)cc"),
            "# cli/a.cc\nno job \"{}\" of {}\n  try: List the jobs with: list\n");
  EXPECT_EQ(ListOf(R"cc(mistakes.Add(std::string(what) + " is empty", "Name it");
                        reader.AddError("key", "must be a list");)cc"),
            "# cli/a.cc\n{} is empty\n  try: Name it\nmust be a list\n");
  EXPECT_EQ(ListOf(R"cc(keys.Word("state", job.state, Name, Parse, "is not a state");
                        keys.Check(a < b, "length", "must be greater");)cc"),
            "# cli/a.cc\nis not a state\nmust be greater\n");
  EXPECT_EQ(ListOf(R"cc(return WithRemedy(status, "Try again");)cc"),
            "# cli/a.cc\n  try: Try again\n");
}

TEST(MessageList, ShowsChoices) {
  EXPECT_EQ(ListOf(R"cc(.message = absl::StrCat(n, n == 1 ? " step" : n == 0 ? "" : " steps"))cc"),
            "# cli/a.cc\n{}[ step|[| steps]]\n");
}

TEST(MessageList, OmitsTextsThatAreNoMessages) {
  EXPECT_EQ(ListOf("// .message = \"a comment\"\n"), "");
  EXPECT_EQ(ListOf(".message = text, .remedy = std::move(remedy)"), "");
  EXPECT_TRUE(ListMessages({{"tests/a.cc", ".message = \"x\""}}).empty());
}

}  // namespace
}  // namespace dl::tidy
