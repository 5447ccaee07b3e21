#include "dataset/readers/table/short_decimals.h"

#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/philox.h"
#include "dataset/readers/plain_number.h"
#include "dataset/readers/table/decimal_set.h"
#include "dataset/readers/table/value_hash.h"
#include "gtest/gtest.h"

namespace dl::dataset {
namespace {

constexpr size_t kMost = ShortDecimals::kMost;

// Fields of a text with commas between them, and what is found in them.
struct Parsed {
  explicit Parsed(const std::vector<std::string>& fields) {
    std::string text;
    for (const std::string& field : fields) absl::StrAppend(&text, field, ",");
    // Without the last comma, so that a byte beside the text may not be read there.
    const std::vector<char> alone(text.begin(), text.end() - 1);
    const std::string_view view(alone.data(), alone.size());
    FieldWords words(view);
    size_t at = 0;
    for (size_t i = 0; i < fields.size(); ++i) {
      words.Set(i, view.substr(at, fields[i].size()));
      at += fields[i].size() + 1;
    }
    ParseShortDecimals(words, fields.size(), numbers);
    FindFacts(words, numbers, fields.size(), facts);
  }

  ShortDecimals numbers = {};
  DecimalFacts facts = {};
};

std::string RandomField(RandomStream& random) {
  constexpr std::string_view kCharacters = "0123456789012345678900..-+e, ";
  if (random.Bounded(2) == 0) {
    const double value = static_cast<double>(random.Bounded(2'000'000)) * 1e-4 - 100;
    return absl::StrFormat("%.*f", static_cast<int>(random.Bounded(9)), value);
  }
  std::string field;
  const uint64_t size = random.Bounded(19);
  while (field.size() < size) field += kCharacters[random.Bounded(kCharacters.size())];
  return field;
}

TEST(ShortDecimals, RandomFieldsAreParsedAsSeparately) {
  RandomStream random({.seed = 8, .purpose = RandomPurpose::kForTests});
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> fields(1 + random.Bounded(kMost));
    for (std::string& field : fields) field = RandomField(random);
    const Parsed parsed(fields);
    for (size_t i = 0; i < fields.size(); ++i) {
      const auto expected = ParseShortDecimal(fields[i]);
      ASSERT_EQ(parsed.numbers.are_parsed[i], expected ? 1 : 0) << fields[i];
      if (!expected) continue;
      const double value = parsed.numbers.values[i];
      EXPECT_EQ(std::bit_cast<uint64_t>(value), std::bit_cast<uint64_t>(expected->value));
      EXPECT_EQ(parsed.numbers.have_points[i], expected->has_point ? 1 : 0) << fields[i];
      const double power = std::pow(10.0, static_cast<double>(parsed.numbers.fractions[i]));
      EXPECT_EQ(static_cast<double>(parsed.numbers.digits[i]) / power, value) << fields[i];
      EXPECT_EQ(parsed.facts.hashes[i], HashOfNumber(value)) << fields[i];
    }
  }
}

TEST(ShortDecimals, NumberOf2To53IsLeftOut) {
  const Parsed parsed({"9007199254740991", "9007199254740992", "9.00719925474099"});
  EXPECT_EQ(parsed.numbers.are_parsed[0], 1U);
  EXPECT_EQ(parsed.numbers.are_parsed[1], 0U);
  EXPECT_EQ(parsed.numbers.are_parsed[2], 1U);
}

TEST(ShortDecimals, FactsOfTexts) {
  using Fact = DecimalFacts::Count;
  struct Case {
    const char* text;
    std::set<Fact> facts;
  };
  const std::vector<Case> cases = {{"0", {}},
                                   {"007", {Fact::kLeadingZero}},
                                   {"-07", {}},
                                   {"999", {}},
                                   {"-1000", {Fact::kLarge}},
                                   {"1.5", {Fact::kPoint, Fact::kFraction}},
                                   {"1.0", {Fact::kPoint}},
                                   {"0.5", {Fact::kPoint, Fact::kFraction}},
                                   {"12.345", {Fact::kPoint, Fact::kThreePlaces, Fact::kFraction}},
                                   {"20200131", {Fact::kLarge, Fact::kEightDigits}},
                                   {"-2020013", {Fact::kLarge}},
                                   {"+49301234567", {Fact::kLarge, Fact::kLongPlus}},
                                   {"00.5", {Fact::kLeadingZero, Fact::kPoint, Fact::kFraction}}};
  std::vector<std::string> fields;
  for (const Case& one : cases) fields.emplace_back(one.text);
  const Parsed parsed(fields);
  for (size_t i = 0; i < cases.size(); ++i) {
    for (int fact = Fact::kFraction; fact <= Fact::kLongPlus; ++fact) {
      const auto count = DecimalFacts::CountIn(parsed.facts.counts[i], static_cast<Fact>(fact));
      EXPECT_EQ(count, cases[i].facts.contains(static_cast<Fact>(fact)) ? 1 : 0)
          << cases[i].text << " " << fact;
    }
  }
}

TEST(DecimalSet, EqualDecimalsAreOne) {
  DecimalSet set(1024);
  EXPECT_TRUE(set.Add(Parsed({"0.5", "-0.25", "0.50", "-0", "0.0", "3"}).numbers, 0, 6));
  EXPECT_EQ(set.Take(), (std::vector<double>{-0.25, 0, 0.5, 3}));
  EXPECT_TRUE(set.Take().empty());
  EXPECT_TRUE(set.Add(Parsed({"0.25"}).numbers, 0, 1));
  EXPECT_EQ(set.Take(), (std::vector<double>{0.25}));
}

TEST(DecimalSet, DecimalsThatDoNotFitAreRefused) {
  for (const char* text : {"0.125", "1000", "-1000", "9007199254740991", "0.0000001"}) {
    DecimalSet set(1024);
    EXPECT_TRUE(set.Add(Parsed({"0.5", "1.25"}).numbers, 0, 2));
    EXPECT_FALSE(set.Add(Parsed({"0.75", text}).numbers, 0, 2)) << text;
    EXPECT_EQ(set.Take(), (std::vector<double>{0.5, 1.25})) << text;
  }
  DecimalSet empty(1024);
  EXPECT_FALSE(empty.Add(Parsed({"0.0000001"}).numbers, 0, 1));
  EXPECT_TRUE(empty.Take().empty());
}

}  // namespace
}  // namespace dl::dataset
