#include "base/log.h"

#include <cstdlib>

#include "base/files.h"
#include "base/process.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

std::string LogOfChild(const std::string& level) {
  test::TempFolder folder;
  auto child = Spawner::Real().Start(
      {.argv = {std::string(std::getenv("DL_BIN")) + "/base_test_child", "log"},
       .env = {"DL_LOG=" + level},
       .out = ChildOutput::Pipe(),
       .err = ChildOutput::File(folder / "err")});
  EXPECT_EQ(*(*child)->ReadAll(60s, 1000), "") << "standard output is data";
  EXPECT_EQ(*(*child)->Wait(60s), ExitStatus{});
  return *ReadFile(folder / "err", 10'000);
}

TEST(Log, OneFormatOnStandardError) {
  EXPECT_THAT(LogOfChild("error"),
              MatchesRegex("[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z E child: bad [{][}] %d 3\n"));
}

TEST(Log, LineBreaksInTextsAreEscaped) {
  EXPECT_THAT(LogOfChild("info"),
              HasSubstr("of a peer\n    2026-01-31T12:00:00.123Z E child: forged\\u001b[2J\n"));
}

TEST(Log, LevelsFilter) {
  EXPECT_THAT(LogOfChild("debug"), HasSubstr("D child: fine 1\n"));
  EXPECT_THAT(LogOfChild(""), Not(HasSubstr("fine")));
  EXPECT_THAT(LogOfChild("info"), HasSubstr("I child: plain 2\n"));
  EXPECT_EQ(LogOfChild("off"), "");
}

TEST(Log, InvalidLevelIsReportedAndUsesInfo) {
  const std::string log = LogOfChild("debgu");
  EXPECT_THAT(log, HasSubstr("did you mean \"debug\"?"));
  EXPECT_THAT(log, HasSubstr("plain 2"));
  EXPECT_THAT(log, Not(HasSubstr("fine")));
}

TEST(Log, ParsesItsLevels) {
  EXPECT_EQ(*ParseLogLevel("warning"), LogLevel::kWarning);
  EXPECT_THAT(ParseLogLevel("loud"), test::IsError(absl::StatusCode::kInvalidArgument, "loud"));
}

}  // namespace
}  // namespace dl
