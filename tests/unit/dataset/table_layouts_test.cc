// Tests guesses about tables as spectrometers, spreadsheets, databases and pandas lay them out:
// headers of numbers, thousands with points, labels in several columns, texts that hold numbers.
#include "job/dataset_spec.h"
#include "tests/unit/dataset/guessed_table.h"

namespace dl::dataset {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const char* ClassOf(int i) { return i % 3 == 0 ? "A" : i % 3 == 1 ? "B" : "C"; }

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
  const auto spectrum = [](int i) { return Counts(i) + ClassOf(i); };
  EXPECT_THAT(Guess(Rows(wavelengths + "class", spectrum)),
              AllOf(HasSubstr("60 rows by \",\", names"), HasSubstr("402.5 numbers feature"),
                    HasSubstr("3 classes A 20 B 20 C 20"), Not(HasSubstr("!"))));
  EXPECT_THAT(Guess(Rows("sample," + wavelengths + "Type",
                         [](int i) { return absl::StrCat("s", i, ",", Counts(i), ClassOf(i)); })),
              AllOf(HasSubstr("60 rows by \",\", names"), HasSubstr("3 classes A 20")));
  EXPECT_THAT(Guess(Rows(wavelengths + "moisture",
                         [](int i) { return absl::StrCat(Counts(i), i * 0.25); })),
              AllOf(HasSubstr("names"), HasSubstr("moisture numbers label")));
  // A row of values may hold such numbers too.
  const auto ramp = [](int i) {
    return absl::StrCat(i, ",", i + 2, ",", i + 4, ",", i + 6, ",", i + 8, ",", ClassOf(i));
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

}  // namespace
}  // namespace dl::dataset
