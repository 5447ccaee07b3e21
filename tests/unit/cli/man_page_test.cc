// Manual pages, read by the programs that show them.
#include "cli/help/man_page.h"

#include <regex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

class ManPages : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Shell(absl::StrCat("mkdir -p ", folder_ / "man1")).code, 0);
    ASSERT_EQ(DlSubmit({"man", "--output", folder_ / "man1"}).code, kSuccess);
  }
  const test::TempFolder folder_;
};

TEST_F(ManPages, RenderWithoutWarnings) {
  const std::string groff =
      Shell(absl::StrCat("cd ", folder_.path(),
                         " && for page in man1/*; do MANWIDTH=80 man --warnings -E UTF-8 -l ",
                         "-Tutf8 -Z $page 2>&1 >/dev/null; done"))
          .out;
  EXPECT_EQ(groff, "");
  const std::string mandoc =
      Shell(absl::StrCat("cd ", folder_.path(), " && mandoc -Tlint -W warning man1/*")).out;
  EXPECT_EQ(mandoc, "");
}

TEST_F(ManPages, EachCommandHasItsFlags) {
  for (const CommandEntry& command : CommandTable()) {
    const std::string shown = Shell(absl::StrCat("MANWIDTH=200 man -E UTF-8 -l ",
                                                 folder_ / "man1/dl-submit-", command.name, ".1"))
                                  .out;
    EXPECT_THAT(shown, HasSubstr(absl::StrCat("dl-submit-", command.name, " - ", command.summary)));
    for (const Flags::Argument& argument : command.arguments)
      EXPECT_THAT(shown, HasSubstr(argument.names.back())) << command.name;
    const std::vector<std::string> examples = absl::StrSplit(command.examples, '\n');
    EXPECT_THAT(shown, HasSubstr(examples.front())) << "quotes and dashes can be copied";
  }
  EXPECT_THAT(Shell(absl::StrCat("cd ", folder_.path(), " && man -l man1/dl-executor.1")).out,
              HasSubstr("--slots"));
}

TEST_F(ManPages, OverviewHasCommandsVariablesAndExitCodes) {
  const std::string shown =
      Shell(absl::StrCat("MANWIDTH=200 man -E UTF-8 -l ", folder_ / "man1/dl-submit.1")).out;
  for (const CommandEntry& command : CommandTable())
    EXPECT_THAT(shown, HasSubstr(absl::StrCat("dl-submit-", command.name, "(1)")));
  EXPECT_THAT(shown, HasSubstr("DL_MASTER"));
  const std::string document =
      ReadFile(absl::StrCat(DL_SOURCE_FOLDER, "/docs/operations/commands.md"), 1 << 20)
          .value_or("");
  const std::string table = document.substr(document.find("## Exit codes"));
  const std::regex row(R"(\n\| ([0-9][0-9, ]*) \|)");
  int64_t codes = 0;
  for (std::sregex_iterator found(table.begin(), table.end(), row), end; found != end; ++found) {
    for (const std::string& code : std::vector<std::string>(absl::StrSplit(found->str(1), ", "))) {
      ++codes;
      EXPECT_THAT(shown, HasSubstr(absl::StrCat("\n       ", code, " "))) << code;
    }
  }
  EXPECT_EQ(codes, 20);
}

TEST(ManProgram, UnknownCommandIsUsageError) {
  const Ended ended = DlSubmit({"man", "rnu"});
  EXPECT_EQ(ended.code, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("did you mean \"run\"?"));
  EXPECT_EQ(DlSubmit({"man", "run", "-o", "."}).code, kUsage);
  EXPECT_THAT(DlSubmit({"man", "run"}).out, HasSubstr(".TH DL-SUBMIT-RUN 1"));
}

}  // namespace
}  // namespace dl::cli
