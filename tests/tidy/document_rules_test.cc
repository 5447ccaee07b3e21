#include "tests/tidy/document_rules.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::tidy {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(DocumentRules, PathsMustExist) {
  const SourceTree code = {{"nn/lstm.h", "class Lstm {};"}, {"nn/conf/lstm.cc", ""}};
  const auto check = [&](const std::string& text) {
    SourceTree tree = code;
    tree.push_back({"docs/a.md", text});
    return CheckPathsInDocuments(tree);
  };
  EXPECT_THAT(check("See `nn/lstm.h`, `nn/conf/*.cc`, `nn/NAME.h` and `nn/lstm.*`."), IsEmpty());
  EXPECT_THAT(check("See `nn/gru.h`."), SizeIs(1));
  EXPECT_THAT(check("See `nn/NAME.cc`."), SizeIs(1)) << "a wildcard stays within its folder";
  EXPECT_THAT(check("See `nn/l*.cc`."), SizeIs(1));
  EXPECT_THAT(check("See `lstm.h`, `conf/lstm.cc` and `elsewhere/gru.json`."), IsEmpty());
  EXPECT_THAT(check("See `gru.h`."), SizeIs(1));
  EXPECT_THAT(check("```\n`nn/gru.h`\n```\n"), IsEmpty());
}

TEST(DocumentRules, NamesMustExist) {
  const SourceTree code = {{"nn/lstm.h", "class Lstm { void Forward(); };\nclass LstmCell {};"},
                           {"nn/gru.h", "class Gru { void Backward(); };"},
                           {"tests/a_test.cc", "TEST(LstmTest, HasGates) {}"}};
  const auto check = [&](const std::string& path, const std::string& text) {
    SourceTree tree = code;
    tree.push_back({path, text});
    return CheckNamesInDocuments(tree);
  };
  EXPECT_THAT(check("a.md",
                    "`Lstm::Forward`, `nn::Lstm::Forward()`, `LstmCell`, `LstmCell()`, "
                    "`LstmTest.HasGates`, `LstmTest` and `HasGates`."),
              IsEmpty());
  EXPECT_THAT(check("a.md", "`Lstm::Backward`"), SizeIs(1)) << "the member is in another file";
  EXPECT_THAT(check("a.md", "`GruCell`"), SizeIs(1));
  EXPECT_THAT(check("a.md", "`LstmTest.HasNoGates`"), SizeIs(1));
  EXPECT_THAT(check("CHANGELOG.md", "`GruCell`"), IsEmpty());
  EXPECT_THAT(check("a.md", "`TOKEN`, `Token`, `ID.SECRET`, `json.key`"), IsEmpty());
}

TEST(DocumentRules, GlossaryRowsMustBeWhole) {
  const auto check = [](const std::string& rows, const std::string& code) {
    return CheckGlossary(
        {{"docs/glossary.md", "| Term | Meaning | In the code |\n|---|---|---|\n" + rows},
         {"a/x.h", code}});
  };
  const std::string row = "| epoch order | An order. | `EpochOrder`, `a/x.h` |\n";
  EXPECT_THAT(check(row, "class EpochOrder {};"), IsEmpty());
  EXPECT_THAT(check(row, "// EpochOrder is used here."), SizeIs(1)) << "no definition";
  EXPECT_THAT(check(row, "class EpochOrders {};"), SizeIs(1)) << "another name";
  EXPECT_THAT(check("| epoch order | An order. |\n", "class EpochOrder {};"), SizeIs(1));
  EXPECT_THAT(
      check("| epoch order | An order. | `EpochOrder`, `b/x.h` |\n", "class EpochOrder {};"),
      SizeIs(1));
  EXPECT_THAT(check("| epoch order | An order. | none |\n", "class EpochOrder {};"), SizeIs(1));
  EXPECT_THAT(
      check("| sequence of epochs | An order. | `EpochOrder`, `a/x.h` |\n", "class EpochOrder {};"),
      SizeIs(1))
      << "code has another term";
  EXPECT_THAT(check(row + "| epoch | A pass. | `EpochOrder`, `a/x.h` |\n", "class EpochOrder {};"),
              SizeIs(1))
      << "terms are not in order";
  EXPECT_THAT(CheckGlossary({}), SizeIs(1));
}

}  // namespace
}  // namespace dl::tidy
