#include "tests/tidy/style_rules.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::tidy {
namespace {

std::string Lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "\n";
  return text;
}

TEST(Names, VagueOnesAreSeen) {
  for (const char* path :
       {"rpc/utils.h", "rpc/string_util.cc", "master/common/a.h", "master/job_manager.cc",
        "misc/a.md", "tests/support/test_helpers.h", "rpc/BadCase.h", "rpc/kebab-case.cc"}) {
    EXPECT_EQ(CheckName({path, ""}).size(), 1u) << path;
  }
  for (const char* code :
       {"class JobManager {};", "struct Helper;", "namespace utils {", "class TestUtil"}) {
    EXPECT_EQ(CheckName({"rpc/a.h", code}).size(), 1u) << code;
  }
  EXPECT_TRUE(CheckName({"rpc/commons.h", "class Commonality {}; int manager;"}).empty());
}

TEST(Guards, MissingGuardIsFound) {
  EXPECT_EQ(CheckGuard({"rpc/a.h", "#ifndef A_H\n"}).size(), 1u);
  EXPECT_TRUE(CheckGuard({"rpc/a.h", "// text\n#pragma once\n"}).empty());
  EXPECT_TRUE(CheckGuard({"rpc/a.cc", ""}).empty());
}

TEST(Notes, NeedAReason) {
  const std::string todo =
      "TO"
      "DO";
  EXPECT_EQ(CheckNotes({"rpc/a.cc", "\n// " + todo + "\n"}).at(0).line, 2);
  EXPECT_EQ(CheckNotes({"rpc/a.cc", "// " + todo + "(me): fix"}).size(), 1u);
  EXPECT_EQ(CheckNotes({"rpc/a.cc", "// " + todo + ": soon"}).size(), 1u);
  EXPECT_EQ(CheckNotes({"rpc/a.cc", std::string("// FIX") + "ME: later, when there is time for it"})
                .size(),
            1u);
  EXPECT_EQ(CheckNotes({"rpc/a.cc", std::string("// XX") + "X!"}).size(), 1u);
  EXPECT_TRUE(CheckNotes({"rpc/a.cc", "mkdtemp(\"a-XXXXXX\")"}).empty());
  EXPECT_TRUE(
      CheckNotes({"rpc/a.cc", "// " + todo + ": TLS is missing; loopback only until issue 7"})
          .empty());
}

TEST(MachinePaths, AreFoundInAnyFile) {
  const std::string home =
      "/ho"
      "me/";
  EXPECT_EQ(CheckMachinePaths({"docs/a.md", "\nrun " + home + "me/x"}).at(0).line, 2);
  EXPECT_EQ(CheckMachinePaths({"dev",
                               "cd \"/ro"
                               "ot/x\""})
                .size(),
            1u);
  EXPECT_EQ(CheckMachinePaths({"a.cc",
                               "/wo"
                               "rk/main"})
                .size(),
            1u);
  EXPECT_TRUE(CheckMachinePaths({"a.cc", "http://x" + home +
                                             " ./wo"
                                             "rk/x ~/ro"
                                             "ot/ usr" +
                                             home})
                  .empty());
}

TEST(Length, LimitAndRatchetAreChecked) {
  EXPECT_TRUE(CheckLength({"a.cc", Lines(400)}, {}).empty());
  EXPECT_EQ(CheckLength({"a.cc", Lines(401)}, {}).size(), 1u);
  EXPECT_TRUE(CheckLength({"a.md", Lines(401)}, {}).empty());
  const std::vector<LongFile> ratchet = {{"a.cc", 500}};
  EXPECT_TRUE(CheckLength({"a.cc", Lines(500)}, ratchet).empty());
  EXPECT_EQ(CheckLength({"a.cc", Lines(501)}, ratchet).size(), 1u);
  EXPECT_EQ(CheckLength({"a.cc", Lines(499)}, ratchet).size(), 1u);
}

TEST(Links, LeadToFilesAndFolders) {
  const std::set<std::string> paths = {"docs/a.md", "docs/adr/0001.md", "README.md"};
  EXPECT_TRUE(
      CheckLinks(
          {"docs/a.md", "[x](adr/0001.md#part) [y](../README.md) [z](adr/) [w](https://x) [v](#x)"},
          paths)
          .empty());
  EXPECT_EQ(CheckLinks({"docs/a.md", "\n[x](gone.md)"}, paths).at(0).line, 2);
  EXPECT_EQ(CheckLinks({"README.md", "[x](docs/adr/0002.md)[y](a.md)"}, paths).size(), 2u);
}

TEST(ShownFiles, DifferenceToFileIsFound) {
  const SourceTree tree = {{"examples/x.cc", "int x;\n\nint y;\n"}};
  const auto lines_of = [&](const std::string& text) {
    std::vector<int> lines;
    for (const Violation& one : CheckShownFiles({"README.md", text}, tree))
      lines.push_back(one.line);
    return lines;
  };
  using testing::ElementsAre;
  EXPECT_THAT(lines_of("```cpp examples/x.cc\nint x;\n\nint y;\n```\n```\nz\n```\n"),
              ElementsAre());
  EXPECT_THAT(lines_of("a\n```cpp examples/x.cc\nint x;\n\nint z;\n```\n"), ElementsAre(2));
  EXPECT_THAT(lines_of("```cpp examples/x.cc\nint x;\n```\n\n```cpp gone.cc\n```\n"),
              ElementsAre(1, 5));
}

TEST(StyleRules, HeadersOfOneNameAreFound) {
  const SourceTree tree = {{"a/x.h", ""}, {"b/x.h", ""}, {"b/x.cc", ""}, {"b/y.h", ""}};
  const Violations found = CheckHeaderNames(tree);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].path, "b/x.h");
}

}  // namespace
}  // namespace dl::tidy
