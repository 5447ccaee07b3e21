#include "base/utf8.h"

#include <gtest/gtest.h>

namespace dl {
namespace {

TEST(Utf8, KnowsTextsFromBytes) {
  for (const std::string_view text :
       {"", "plain", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x99\x82", "\xef\xbf\xbd", "\xed\x9f\xbf",
        "\xee\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
    EXPECT_EQ(RepairUtf8(text), text);
  }
  EXPECT_TRUE(IsUtf8(std::string_view("\0", 1)));
  for (const std::string_view bytes :
       {"\xff", "h\xff", "\x80", "\xc3", "\xc3z", "\xe2\x82", "\xf0\x9f\x99", "\xc0\x80",
        "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xed\xa0\x80", "\xed\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_FALSE(IsUtf8(bytes)) << bytes;
    EXPECT_TRUE(IsUtf8(RepairUtf8(bytes))) << bytes;
  }
}

TEST(Utf8, RepairsByteByByteAndKeepsTheRest) {
  EXPECT_EQ(RepairUtf8("a\xff\xc3\xa4\xe2\x82z"), "a\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd\xef\xbf\xbdz");
}

TEST(Utf8, PrefixEndsBetweenCharacters) {
  EXPECT_EQ(Utf8Prefix("abc", 3), "abc");
  EXPECT_EQ(Utf8Prefix("abcd", 3), "abc");
  EXPECT_EQ(Utf8Prefix("ab\xc3\xa4", 3), "ab");
  EXPECT_EQ(Utf8Prefix("\xf0\x9f\x99\x82!", 4), "\xf0\x9f\x99\x82");
  for (size_t max = 0; max < 4; ++max) EXPECT_EQ(Utf8Prefix("\xf0\x9f\x99\x82", max), "");
  // Invalid text is cut only slightly, and the search for a boundary ends.
  EXPECT_EQ(Utf8Prefix(std::string(100, '\x80'), 50).size(), 47u);
}

}  // namespace
}  // namespace dl
