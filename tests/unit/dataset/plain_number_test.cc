#include "dataset/readers/plain_number.h"

#include <bit>
#include <charconv>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/philox.h"
#include "dataset/readers/table/value_hash.h"
#include "gtest/gtest.h"

namespace dl::dataset {
namespace {

// Returns the value by the standard library, or nullopt for a text that is not a number.
std::optional<double> Expected(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

// The bits of the value must be equal, or the text must be left to the library. A short text must
// be read in the same way digit by digit.
void ExpectNoOther(const std::string& text) {
  // No byte beside the text may be read. A sanitizer finds that.
  const auto alone = std::make_unique<char[]>(text.size());
  text.copy(alone.get(), text.size());
  const std::string_view view(alone.get(), text.size());
  const std::optional<double> found = PlainNumber(view);
  const std::optional<double> by_digit = PlainNumberByDigit(view);
  ASSERT_EQ(found.has_value(), by_digit.has_value()) << text;
  if (const auto decimal = ParseShortDecimal(view)) {
    EXPECT_EQ(decimal->has_point, text.find('.') != std::string::npos) << text;
    EXPECT_EQ(std::bit_cast<uint64_t>(decimal->value), std::bit_cast<uint64_t>(*found)) << text;
  }
  if (!found) return;
  EXPECT_EQ(std::bit_cast<uint64_t>(*found), std::bit_cast<uint64_t>(*by_digit)) << text;
  const std::optional<double> expected = Expected(text);
  ASSERT_TRUE(expected) << text;
  EXPECT_EQ(std::bit_cast<uint64_t>(*found), std::bit_cast<uint64_t>(*expected)) << text;
}

TEST(PlainNumber, UsualNumbersAreRead) {
  for (const char* text : {"0", "-0", "7", "+7", "1.5", "-1.178842", "0.000001", "1e5", "1.806E+02",
                           "5.", ".5", "-.5e-3", "9007199254740992", "1e22", "0000000012.50"}) {
    EXPECT_TRUE(PlainNumber(text)) << text;
    ExpectNoOther(text);
  }
}

TEST(PlainNumber, OtherTextsAreLeftToTheLibrary) {
  for (const char* text : {"",
                           "-",
                           "+",
                           ".",
                           "-.",
                           "+-1",
                           "-+1",
                           "--1",
                           "1-",
                           "1e",
                           "1e+",
                           "e5",
                           "1.2.3",
                           " 1",
                           "1 ",
                           "0x10",
                           "inf",
                           "nan",
                           "1e23",
                           "1e-23",
                           "1e999999999999",
                           "9007199254740993",
                           "12345678901234567890",
                           "0.61792618496308129",
                           "1,5",
                           "1_000"}) {
    EXPECT_FALSE(PlainNumber(text)) << text;
  }
}

TEST(PlainNumber, RandomTextsHaveTheValueOfTheLibrary) {
  RandomStream random({.seed = 4, .purpose = RandomPurpose::kForTests});
  const auto digits = [&](uint32_t most) {
    std::string text;
    for (uint32_t i = random.Bounded(most + 1); i > 0; --i)
      text.push_back(static_cast<char>('0' + random.Bounded(10)));
    return text;
  };
  constexpr std::string_view kSigns = "+-.eE09 x";
  for (int i = 0; i < 300'000; ++i) {
    std::string text = absl::StrCat(random.Bounded(3) == 0 ? "-" : "", digits(12),
                                    random.Bounded(3) > 0 ? "." : "", digits(9));
    if (random.Bounded(4) == 0)
      absl::StrAppend(&text, "e", random.Bounded(2) ? "-" : "", digits(2));
    ExpectNoOther(text);
    if (text.empty()) continue;
    text[random.Bounded(static_cast<uint32_t>(text.size()))] =
        kSigns[random.Bounded(kSigns.size())];
    ExpectNoOther(text);
  }
}

TEST(PlainNumber, NumbersAtLimitsHaveTheValueOfTheLibrary) {
  for (const char* text : {"-0.0",
                           "+0",
                           "00000000",
                           "-00000000",
                           "0000000000000000",
                           "12345678",
                           "-1234567",
                           "+1234567.",
                           ".1234567",
                           "1.234567",
                           "123456789",
                           "1.23456789",
                           "12345678.9",
                           "-12345678.9",
                           "1234567.890123456",
                           "-.12345678",
                           "123456789012345",
                           "1234567890123456",
                           "9007199254740993",
                           "9999999999999999",
                           "-900719925474099",
                           "0.00000000000001",
                           "12345678901234567",
                           "0.12345678901234567",
                           "1e-5000",
                           "1e5000",
                           "1.7976931348623157e308",
                           "4.9e-324",
                           "1.1754943508222875e-38",
                           "16777217"}) {
    ExpectNoOther(text);
  }
}

TEST(PlainNumber, ShortDecimalsAreReadEightCharactersAtATime) {
  for (const char* text : {"0", "-0", "+7.25", ".5", "5.", "-12345678.901234", "12345678901234.5",
                           "9007199254740992", "00000000.0000001"}) {
    EXPECT_TRUE(ParseShortDecimal(text)) << text;
  }
  for (const char* text : {"",
                           ".",
                           "+",
                           "-.",
                           "1e5",
                           "1.2.3",
                           "12.34567.9",
                           "1..23456789",
                           "1 ",
                           "\"1\"",
                           "1,5",
                           "+-1",
                           "1-2345678",
                           "12345678-",
                           "9007199254740993",
                           "12345678901234567",
                           "0x10",
                           "1234567/",
                           "1234567:",
                           "\xb1\xb2"}) {
    EXPECT_FALSE(ParseShortDecimal(text)) << text;
  }
}

TEST(PlainNumber, EachByteAtEachPlaceIsJudgedAsByTheLibrary) {
  for (size_t size = 1; size <= 17; ++size) {
    for (size_t place = 0; place < size; ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text = std::string("90123456789012345").substr(0, size);
        text[place] = static_cast<char>(byte);
        ExpectNoOther(text);
        text[size / 2] = '.';
        ExpectNoOther(text);
      }
    }
  }
}

TEST(HashOfNumber, IsTheHashOfItsBytes) {
  for (const double value : {0.0, 1.0, -1.0, 0.1, 1e300, -3.25, 5e-324}) {
    const std::string_view bytes(reinterpret_cast<const char*>(&value), sizeof value);
    EXPECT_EQ(HashOfNumber(value), Xxh3(bytes)) << value;
  }
  EXPECT_EQ(HashOfNumber(-0.0), HashOfNumber(0.0));
}

}  // namespace
}  // namespace dl::dataset
