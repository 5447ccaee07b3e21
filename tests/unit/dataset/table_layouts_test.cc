// Tests guesses about tables as spectrometers, spreadsheets, databases and pandas lay them out:
// headers of numbers, thousands with points, labels in several columns, texts that hold numbers.
#include "job/dataset_spec.h"
#include "tests/unit/dataset/guessed_table.h"

namespace dl::dataset {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const char* NameOfThird(int i) { return i % 3 == 0 ? "A" : i % 3 == 1 ? "B" : "C"; }

// Returns a table of 60 rows. `row(i)` is the text of a row.
template <typename RowText>
std::string Rows(const std::string& header, RowText row) {
  std::string text = header + "\n";
  for (int i = 0; i < 60; ++i) absl::StrAppend(&text, row(i), "\n");
  return text;
}

// Returns counts of a detector within the range of the wavelengths in the header.
std::string Counts(int row) {
  std::string text;
  for (int k = 0; k < 8; ++k) absl::StrAppend(&text, (row * 37 + k * 911) % 5000, ",");
  return text;
}

TEST_F(TableGuess, NumbersAtEqualDistancesAreNamesBesideAWord) {
  const std::string wavelengths = "400,402.5,405,407.5,410,412.5,415,417.5,";
  const auto spectrum = [](int i) { return Counts(i) + NameOfThird(i); };
  EXPECT_THAT(Guess(Rows(wavelengths + "class", spectrum)),
              AllOf(HasSubstr("60 rows by \",\", names"), HasSubstr("402.5 numbers feature"),
                    HasSubstr("3 classes A 20 B 20 C 20"), Not(HasSubstr("!"))));
  EXPECT_THAT(
      Guess(Rows("sample," + wavelengths + "Type",
                 [](int i) { return absl::StrCat("s", i, ",", Counts(i), NameOfThird(i)); })),
      AllOf(HasSubstr("60 rows by \",\", names"), HasSubstr("3 classes A 20")));
  EXPECT_THAT(Guess(Rows(wavelengths + "moisture",
                         [](int i) { return absl::StrCat(Counts(i), i * 0.25); })),
              AllOf(HasSubstr("names"), HasSubstr("moisture numbers label")));
  // A row of values may hold such numbers too.
  const auto ramp = [](int i) {
    return absl::StrCat(i, ",", i + 2, ",", i + 4, ",", i + 6, ",", i + 8, ",", NameOfThird(i));
  };
  EXPECT_THAT(Guess(Rows("10,12,14,16,18,B", ramp)), HasSubstr("61 rows by \",\", no names"));
}

TEST_F(TableGuess, DatesAboveNumbersAreNames) {
  EXPECT_THAT(
      Guess(Rows("00:00,06:00,12:00,18:00",
                 [](int i) { return absl::StrCat(i, ".5,", i * 7 % 11, ",1.25,", i * 2); })),
      AllOf(HasSubstr("60 rows by \",\", names"), HasSubstr("06:00 numbers feature")));
}

TEST_F(TableGuess, WordInTheFirstRowMayBeAName) {
  EXPECT_THAT(Guess("price,1990\n" + std::string("1,2\n3,4\n5,6\n7,8\n9,1\n11,2\n13,3\n"),
                    {.hints = {.has_header = false}}),
              AllOf(HasSubstr("error: row 1, column 1: \"price\" is not a number"),
                    HasSubstr("where the row has the names: --header yes")));
}

TEST_F(TableGuess, PointsThatMaySeparateThousandsAreDoubtful) {
  const auto sales = [](int i) {
    const std::string value =
        i % 3 == 0 ? absl::StrCat(100 + i) : absl::StrCat(1 + i, ".", 100 + i * 7);
    return absl::StrCat(value, ";", i % 2, ";", NameOfThird(i));
  };
  EXPECT_THAT(Guess(Rows("sales;b;y", sales)),
              AllOf(HasSubstr("! column 1 (\"sales\"): each of its points has three digits after "
                              "it, as \"2.107\""),
                    HasSubstr("where the points separate thousands, remove them")));
  // Measurements with three decimals, with and without whole numbers.
  const auto measured = [](int i) {
    return absl::StrCat(i, ".", 100 + i * 7, ";1;", NameOfThird(i));
  };
  EXPECT_THAT(Guess(Rows("m;b;y", measured)), Not(HasSubstr("thousands")));
  const auto mixed = [](int i) {
    return absl::StrCat(i % 4 == 0 ? "7" : absl::StrCat(i * 0.125), ";1;", NameOfThird(i));
  };
  EXPECT_THAT(Guess(Rows("m;b;y", mixed)), Not(HasSubstr("thousands")));
}

TEST_F(TableGuess, LabelInOneHotFormIsDoubtful) {
  const auto dummies = [](int i) {
    return absl::StrCat(i * 0.5, i % 3 == 0   ? ",True,False,False"
                                 : i % 3 == 1 ? ",False,True,False"
                                              : ",False,False,True");
  };
  EXPECT_THAT(Guess(Rows("a,species_auk,species_gull,species_tern", dummies)),
              AllOf(HasSubstr("! column 4 (\"species_tern\"): the label and column 2 "
                              "(\"species_auk\"), column 3 (\"species_gull\") look like one label"),
                    HasSubstr("--drop species_auk,species_gull leaves the others out")));
  // Columns of a feature in this form are none of the label's.
  EXPECT_THAT(Guess(Rows("a,color_red,color_blue,ill",
                         [](int i) {
                           return absl::StrCat(i * 0.5, ",", i % 2, ",", 1 - i % 2, ",",
                                               i % 7 == 0);
                         })),
              Not(HasSubstr("look like one label")));
}

TEST_F(TableGuess, TextsThatHoldNumbersAreCalledThat) {
  const auto pressures = [](int i) {
    return absl::StrCat(90 + i, "/", 50 + i, ",", i % 7, ",", NameOfThird(i));
  };
  EXPECT_THAT(Guess(Rows("bp,a,y", pressures)),
              HasSubstr("60 of its 60 values are distinct, as \"90/50\"; where the texts hold "
                        "numbers, write each number into a column of its own; --categories bp"));
  const auto names = [](int i) { return absl::StrCat("n", i, ",", i % 7, ",", NameOfThird(i)); };
  EXPECT_THAT(Guess(Rows("name,a,y", names)), HasSubstr("distinct, as names of rows are"));
  const auto grouped = [](int i) {
    return absl::StrCat(1 + i, "\xa0", 100 + i, ",", i % 7, ",", NameOfThird(i));
  };
  EXPECT_THAT(Guess(Rows("v,a,y", grouped)),
              HasSubstr("error: row 2, column 1 (\"v\"): \"1\xef\xbf\xbd"
                        "100\" has signs between its thousands"));
  const auto files = [](int i) { return absl::StrCat(i, ".png,", NameOfThird(i)); };
  EXPECT_THAT(Guess(Rows("file,y", files)),
              AllOf(HasSubstr("error: column 1 (\"file\") names images"), HasSubstr("folder")));
}

TEST_F(TableGuess, TextsThatDifferInWritingAreDoubtful) {
  const auto with = [](const char* one, const char* other) {
    return Rows("a,y", [&](int i) {
      return absl::StrCat(i % 7, ",", i % 3 == 0 ? one : i % 3 == 1 ? other : "blue");
    });
  };
  EXPECT_THAT(Guess(with("<=50K", "<=50K.")),
              HasSubstr("the classes \"<=50K\" and \"<=50K.\" differ in quotes "
                        "or a full stop at the end alone"));
  EXPECT_THAT(Guess(with("red", "'red'")), HasSubstr("differ in quotes or a full stop"));
  EXPECT_THAT(Guess(with("caf\xc3\xa9", "cafe\xcc\x81")),
              HasSubstr("differ in the encoding of accents alone"));
  EXPECT_THAT(Guess(with("caf\xc3\xa9", "caf\xc3\xa8")), Not(HasSubstr("differ in")));
  EXPECT_THAT(Guess(with("C", "C#")), Not(HasSubstr("differ in")));
}

TEST_F(TableGuess, ManyClassesWithGapsMayBeNumbersToPredict) {
  const auto price = [](int i) { return absl::StrCat(i % 7, ",", (1 + i % 12) * 1000); };
  EXPECT_THAT(Guess(Rows("a,price", price)),
              HasSubstr("- column 2 (\"price\"): its 12 distinct whole numbers are classes; "
                        "--regression takes them as numbers to predict"));
  const auto digit = [](int i) { return absl::StrCat(i % 7, ",", i % 12); };
  EXPECT_THAT(Guess(Rows("a,digit", digit)), Not(HasSubstr("--regression")));
}

TEST_F(TableGuess, RangeOfLabelsHasAllDigits) {
  const auto time = [](int i) { return absl::StrCat(i % 7, ",", 1000000000 + i); };
  EXPECT_THAT(Guess(Rows("a,t", time)), HasSubstr("label: numbers from 1000000000 to 1000000059"));
}

TEST_F(TableGuess, RowsThatHideTheirSeparatorAreExplained) {
  const auto rated = [](int i) { return absl::StrCat(i % 7, "::", i % 11, "::", 1 + i % 5); };
  EXPECT_THAT(Guess(Rows("u::m::r", rated)),
              AllOf(HasSubstr("they look separated by \":\""), HasSubstr("--separator :")));
  EXPECT_THAT(Guess("a,n,y\n1,\"big\" pipe,A\n2,\"small\" pipe,B\n3,\"big\" pipe,A\n"),
              HasSubstr("error: row 2: text follows a closing quote"));
  EXPECT_THAT(Guess("# a\n# b\n"), HasSubstr("error: the file has only comments"));
}

TEST_F(TableGuess, ByteZeroAfterTheBeginningIsAnError) {
  const std::string row = "1.5,2,red,A\n";
  std::string text = "a,b,c,y\n";
  for (int i = 0; i < 20000; ++i) text += row;
  EXPECT_THAT(Guess(text + std::string("1.5,2,r\0d,A\n", 12)),
              AllOf(HasSubstr("error: line 20002 holds a byte 0"), HasSubstr("tr -d")));
}

TEST_F(TableGuess, NumberIsNoClassWithASuffix) {
  Guess(Rows("a,y", [](int i) { return absl::StrCat(i * 0.5, ",", i % 3); }));
  const Schema schema = schema_;
  const auto read =
      ReadCsv(data::Csv(folder_.Write("u.csv", "a,y\n1,0.5\n")), {.training = &schema});
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(ErrorRemedy(read.status()), Not(HasSubstr("label_suffix")));
}

}  // namespace
}  // namespace dl::dataset
