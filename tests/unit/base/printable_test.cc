#include "base/printable.h"

#include "gtest/gtest.h"

namespace dl {
namespace {

TEST(Printable, ControlCharactersAreEscapes) {
  EXPECT_EQ(PrintableName("\x1b[31mred\x7f"), "\\u001b[31mred\\u007f");
  EXPECT_EQ(PrintableName(std::string("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(PrintableName("a\r\nb\tc"), "a\\r\\nb\\tc");
  EXPECT_EQ(PrintableText("a\r\nb\tc"), "a\\r\nb\tc");
  EXPECT_EQ(PrintableText("\xc2\x9b[31m"), "\\u009b[31m") << "the C1 form of ESC [";
}

TEST(Printable, CharactersThatChangeTheOrderOrTheLinesAreEscapes) {
  EXPECT_EQ(PrintableName("a\u202ecod\u2066b\u2028c\u2069"), "a\\u202ecod\\u2066b\\u2028c\\u2069");
  EXPECT_EQ(PrintableText("\xe2\x80"), "\xe2\x80") << "cut";
  EXPECT_EQ(PrintableText("\u2027 \u202f \u206a"), "\u2027 \u202f \u206a");
}

TEST(Printable, NameThatCannotBeSeenIsQuoted) {
  const std::pair<const char*, const char*> cases[] = {{"", "\"\""},
                                                       {" ", "\" \""},
                                                       {"\n", "\"\\n\""},
                                                       {"a ", "\"a \""},
                                                       {"\u00a0a", "\"\u00a0a\""},
                                                       {"a\u200b", "\"a\u200b\""},
                                                       {"a\tb", "\"a\\tb\""},
                                                       {"\x1b[31m", "\"\\u001b[31m\""},
                                                       {"a b", "a b"},
                                                       {"größe", "größe"},
                                                       {"a\\n", "a\\n"},
                                                       {"\"", "\""},
                                                       {"é", "é"}};
  for (const auto& [name, shown] : cases) EXPECT_EQ(VisibleName(name), shown);
  EXPECT_EQ(VisibleName("a\u202eb"), "\"a\\u202eb\"");
}

TEST(Printable, TextStays) {
  for (const char* text : {"", "setosa 50", "größe", "\xc2\xa0", "日本", "\"quoted\" \\u001b"}) {
    EXPECT_EQ(PrintableName(text), text);
    EXPECT_EQ(PrintableText(text), text);
  }
}

}  // namespace
}  // namespace dl
