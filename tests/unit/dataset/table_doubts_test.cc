// Tests notes about several columns of a table together, and about doubtful values.
#include "dataset/readers/table/csv_mistakes.h"
#include "tests/unit/dataset/guessed_table.h"

namespace dl::dataset {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(TableGuess, HeaderBetweenRowsOfTextIsRefused) {
  const auto row = [](int i) {
    return absl::StrCat(i % 3 == 0 ? "red" : "blue", ",", i % 4 == 0 ? "x" : "o", ",", ClassOf(i));
  };
  const std::string text = TableRows("colour,shape,label", 30, row);
  EXPECT_THAT(Guess(text), HasSubstr("30 rows by \",\", names"));
  EXPECT_THAT(Guess(text + text), HasSubstr("error: row 32: the row repeats the header"));
  EXPECT_THAT(Guess(text + "shape,colour,label\n" + "x,red,A\n"),
              HasSubstr("error: row 32: the row repeats the header"));
  // Rows of values may equal the first row.
  EXPECT_THAT(Guess("x,o,A\no,x,B\nx,o,A\no,o,B\nx,o,A\nx,x,B\n"),
              HasSubstr("6 rows by \",\", no names"));
}

TEST_F(TableGuess, ByteOrderMarkBetweenRowsIsNoCharacter) {
  EXPECT_THAT(Guess("\xef\xbb\xbf\xef\xbb\xbf" + NumberRows(30) + "\xef\xbb\xbf" + "1.5,2,A\n"),
              AllOf(HasSubstr("31 rows by \",\", names"), HasSubstr("; a numbers feature")));
}

TEST_F(TableGuess, RowOfTotalsIsDoubtful) {
  const auto city = [](int i) {
    return absl::StrCat(i % 2 == 0 ? "x" : "z", ",", i, ",", ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("city,a,y", 30, city) + "Total,435,B\n"),
              HasSubstr("! the last row looks like a sum or a mean of the others, as it holds "
                        "\"Total\""));
  const auto price = [](int i) { return absl::StrCat(i % 7, ",", i * 7 % 11, ",", i * 2.5); };
  const std::string prices = TableRows("a,b,price", 30, price);
  EXPECT_THAT(Guess(prices), Not(HasSubstr("the last row looks")));
  EXPECT_THAT(Guess(prices + "85,152,1087.5\n"), HasSubstr("! the last row looks like a sum"));
  EXPECT_THAT(Guess(NumberRows(30) + "Total,60,A\n"),
              HasSubstr("where the row sums up others, remove it"));
}

TEST_F(TableGuess, ColumnsThatSayNothingAreNamed) {
  const auto constant = [](int i) { return absl::StrCat("5,", i % 7, ",x,", ClassOf(i)); };
  EXPECT_THAT(Guess(TableRows("c,a,t,y", 30, constant)),
              HasSubstr("column 1 (\"c\"), column 3 (\"t\") have the same value in every row"));
  const auto sparse = [](int i) {
    return absl::StrCat(i == 5 ? "3.5" : "", ",", i % 7, ",", ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("m,a,y", 30, sparse)),
              HasSubstr("! column 1 (\"m\"): 29 of its 30 values are missing"));
  const auto copied = [](int i) {
    return absl::StrCat(i % 7, ",", i % 5, ",", i % 7, ".0,", ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("a,b,c,y", 30, copied)),
              HasSubstr("column 3 (\"c\") has the value of column 1 (\"a\") in every row"));
}

TEST_F(TableGuess, FeaturesThatTellTheLabelAreDoubtful) {
  const auto renamed = [](int i) {
    return absl::StrCat(i % 7, ",", i % 2 == 0 ? "P" : "Q", ",", ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("a,code,y", 30, renamed)),
              HasSubstr("! column 2 (\"code\") has one value for each class, and no class has two; "
                        "where it is made of the label, --drop code"));
  const auto price = [](int i) { return absl::StrCat(i % 7, ",", i * 2.5, ",", i * 2.5); };
  EXPECT_THAT(Guess(TableRows("a,p,price", 30, price)),
              HasSubstr("! column 2 (\"p\") has the value of the label in every row"));
  EXPECT_THAT(Guess(NumberRows(30)), Not(HasSubstr("where it is made of the label")));
}

TEST_F(TableGuess, NamesThatAreMissingOrTwiceAreNamed) {
  const auto row = [](int i) { return absl::StrCat(i % 7, ",", i * 0.5, ",", ClassOf(i)); };
  EXPECT_THAT(Guess(TableRows("a,a,y", 30, row)),
              HasSubstr("column 2 (\"a\") has the name of column 1: flags name them by their "
                        "indices, 0 and 1"));
  EXPECT_THAT(Guess(TableRows("a,b,y", 1, row)), HasSubstr("! the table has one row"));
  const auto words = [](int i) {
    return absl::StrCat(i % 3 == 0 ? "red" : "blue", ",", i % 4 == 0 ? "x" : "o", ",", ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("My table,,", 30, words), {.hints = {.has_header = true}}),
              HasSubstr("! 2 of 3 columns have no name"));
}

TEST_F(TableGuess, TestSetWithANameTwiceIsRefused) {
  const auto row = [](int i) { return absl::StrCat(i % 7, ",", i * 0.5, ",", ClassOf(i)); };
  Guess(TableRows("a,b,y", 30, row));
  const Schema schema = schema_;
  EXPECT_THAT(Guess("a,a,b,y\n1,2,3,A\n", {.known = &schema}),
              HasSubstr("error: several columns have the name \"a\""));
  EXPECT_THAT(Guess("a,b,y\n12%,2,A\n", {.known = &schema}),
              AllOf(HasSubstr("because of %"), Not(HasSubstr("--categories"))));
  Guess(TableRows("a,a,y", 30, row));
  const Schema twice = schema_;
  EXPECT_THAT(Guess("a,a,y\n1,2,A\n", {.known = &twice}), HasSubstr("1 rows"));
  EXPECT_EQ(features_, (std::vector<float>{1, 2}));
}

TEST_F(TableGuess, TextsThatLookAlikeAreDoubtful) {
  const auto alike = [](const char* one, const char* other) {
    return TableRows("c,a,y", 30, [&](int i) {
      return absl::StrCat(i % 3 == 0   ? one
                          : i % 3 == 1 ? other
                                       : "blue",
                          ",", i % 7, ",", ClassOf(i));
    });
  };
  EXPECT_THAT(Guess(alike("red", "Red")),
              HasSubstr("\"c\": the categories \"Red\" and \"red\" differ in the case of letters"));
  EXPECT_THAT(Guess(alike("red", "\"red \"")), HasSubstr("differ in blanks alone"));
  EXPECT_THAT(Guess(alike("red", "red\xc2\xa0")), HasSubstr("differ in blanks alone"));
  EXPECT_THAT(Guess(alike("red", "green")), Not(HasSubstr("differ in")));
  EXPECT_THAT(Guess(TableRows(
                  "a,y", 30,
                  [](int i) {
                    return absl::StrCat(i % 7, ",", i % 2 == 0 ? "A" : i % 3 == 0 ? "\"A \"" : "B");
                  })),
              HasSubstr("the classes \"A\" and \"A \" differ in blanks alone"));
}

TEST_F(TableGuess, ValuesThatAreDoubtfulNumbersAreNamed) {
  const auto column = [](const char* name, auto value) {
    return TableRows(absl::StrCat(name, ",a,y"), 60,
                     [&](int i) { return absl::StrCat(value(i), ",", i % 7, ",", ClassOf(i)); });
  };
  EXPECT_THAT(Guess(column("m", [](int i) { return i % 5 == 0 ? 9999 : i % 10; })),
              HasSubstr("! column 1 (\"m\"): its largest value, 9999, occurs 12 times"));
  EXPECT_THAT(Guess(column("m", [](int i) { return 9940 + i; })), Not(HasSubstr("largest value")));
  EXPECT_THAT(Guess(column("zip", [](int i) { return 10001 + 100 * (i % 4); })),
              HasSubstr("! column 1 (\"zip\"): its name is that of a code; --categories zip"));
  EXPECT_THAT(
      Guess(column("tel", [](int i) { return absl::StrCat("+4930", 11111 * (i % 4 + 1)); })),
      HasSubstr("its numbers begin with +"));
  EXPECT_THAT(Guess(column("t", [](int i) { return absl::StrCat("2020-01-", 10 + i % 40); })),
              HasSubstr("values are dates or times, and \"2020-01-32\" is not"));
  EXPECT_THAT(
      Guess(TableRows("a,y", 30, [](int i) { return absl::StrCat(i % 7, ",", 1 + i % 4 * 0.5); })),
      HasSubstr("its 4 distinct numbers, some with fractions, are classes; --regression"));
  EXPECT_THAT(
      Guess(TableRows("A,1.5,2", 30,
                      [](int i) { return absl::StrCat(ClassOf(i), ",", i * 0.5, ",", i * 0.25); }),
            {.hints = {.has_header = false}}),
      HasSubstr("perhaps column 0 (counted from 0) with its 2 texts"));
}

TEST(NumberMistakes, RemediesKeepTheNumber) {
  for (const auto& [text, number] :
       std::vector<std::pair<std::string, std::string>>{{"\xe2\x88\x92"
                                                         "5",
                                                         "-5"},
                                                        {"(5)", "-5"},
                                                        {"5-", "-5"},
                                                        {"1.5k", "1.5e3"},
                                                        {"2M", "2e6"},
                                                        {"3bn", "3e9"},
                                                        {"CHF 7.5", "7.5"},
                                                        {"\xe2\x82\xb9"
                                                         "7",
                                                         "7"},
                                                        {"R$7", "7"},
                                                        {"=\"7\"", "7"},
                                                        {"12 kg", "12"}}) {
    EXPECT_EQ(ExplainNumber(text).remedy, "Write the number alone: " + number) << text;
  }
  EXPECT_EQ(ExplainNumber("1,23,456").remedy, "Write it without them: 123456");
  // A hexadecimal code.
  EXPECT_FALSE(IsDecoratedNumber("00AB"));
}

}  // namespace
}  // namespace dl::dataset
