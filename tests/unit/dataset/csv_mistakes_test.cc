// Tests the errors for a wrong description of a table: what the table looks like, and what to set.
#include "dataset/readers/table/csv_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::dataset {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Said(const Status& status) {
  return std::string(status.message()) + " | " + ErrorRemedy(status);
}

class CsvMistakes : public testing::Test {
 protected:
  std::string Read(const std::string& text, job::CsvSource source = {},
                   const Schema* training = nullptr) {
    source.path = folder_.Write("t.csv", text);
    return Said(ReadCsv(source, {.training = training}).status());
  }
  test::TempFolder folder_;
};

TEST_F(CsvMistakes, AnotherSeparatorIsNamed) {
  const std::string semicolon = "data.train.separator=;";
  EXPECT_THAT(Read("x;y;c\n1;2;a\n3;4;b\n"),
              AllOf(HasSubstr("looks separated by \";\", not by \",\""), HasSubstr(semicolon)));
  EXPECT_THAT(Read("\"x\";\"y\";\"c\"\n1;2;\"a\"\n"),
              AllOf(HasSubstr("looks separated by \";\""), Not(HasSubstr("into quotes"))));
  // Every number has a comma. The rows are not a table of "," although all of them contain commas.
  EXPECT_THAT(Read("x;y;c\n1,5;2,5;a\n3,5;4,5;b\n"), HasSubstr(semicolon));
  EXPECT_THAT(Read("1,5;2,5;a\n3,5;4,5;b\n", {.header = false}), HasSubstr(semicolon));
  EXPECT_THAT(Read("x\ty\tc\n1\t2\ta\n"),
              AllOf(HasSubstr("looks separated by a tab"), HasSubstr("$'\\t'")));
  EXPECT_THAT(Read("x,y,c\n1,2,a\n", {.separator = ";"}),
              AllOf(HasSubstr("looks separated by \",\", not by \";\""),
                    HasSubstr("data.train.separator=,")));
  EXPECT_THAT(Read("x|y|c\n1|2|a\n"), HasSubstr("looks separated by \"|\""));
}

TEST_F(CsvMistakes, CorrectSeparatorGivesNoSuggestion) {
  EXPECT_THAT(Read("x,y,c\n1,2,a;b\n3,red,a;b\n"), HasSubstr("\"red\" is not a number"));
  EXPECT_THAT(Read("x,c\n1,a b\n2\n"), HasSubstr("row 3: has 1 field, the first row has 2"));
  EXPECT_THAT(Read("k\nx\n"), HasSubstr("there is one column"));
}

TEST_F(CsvMistakes, NonNumberIsNamedByKind) {
  const auto number = [&](const std::string& field) { return Read("x,c\n" + field + ",a\n2,b\n"); };
  EXPECT_THAT(number("inf"), AllOf(HasSubstr("infinite"), Not(HasSubstr("categories"))));
  EXPECT_THAT(number("-Infinity"), HasSubstr("infinite"));
  EXPECT_THAT(number("\"1,000\""), AllOf(HasSubstr("thousands"), HasSubstr("1000")));
  EXPECT_THAT(number("\"-1,234,567.5\""), HasSubstr("-1234567.5"));
  EXPECT_THAT(number("12%"), HasSubstr("Write the number alone: 12"));
  EXPECT_THAT(number("red"), AllOf(HasSubstr("\"red\" is not a number"), HasSubstr("categories")));
  for (const char* text : {"None", "#N/A", "<NA>", "-", "."}) {
    EXPECT_THAT(number(text),
                AllOf(HasSubstr("add it to missing_values"), Not(HasSubstr("ategor"))));
  }
  EXPECT_THAT(number("true"), HasSubstr("1 and 0"));
  EXPECT_THAT(Read("x;c\n1,5;a\n2;b\n", {.separator = ";"}),
              AllOf(HasSubstr("decimal comma"), HasSubstr("1.5")));
}

TEST_F(CsvMistakes, HeaderReadAsDataIsRecognized) {
  EXPECT_THAT(
      Read("x,y,c\n1,2,a\n", {.header = false}),
      AllOf(HasSubstr("row 1"), HasSubstr("looks like a header"), HasSubstr("Set header to true")));
  EXPECT_THAT(Read("x,2,a\n1,2,a\n", {.header = false}),
              AllOf(HasSubstr("\"x\" is not a number"), Not(HasSubstr("header to true"))));
}

TEST_F(CsvMistakes, CompressedFileIsNamed) {
  for (const auto& [bytes, name] : std::vector<std::pair<std::string, std::string>>{
           {"PK\x03\x04", "zip"},
           {"BZh91AY&SY", "bzip2"},
           {std::string("\xfd") + "7zXZ" + std::string(1, '\0'), "xz"}}) {
    EXPECT_THAT(Read(bytes + std::string(40, '\1')),
                AllOf(HasSubstr(name), HasSubstr("gzip"), Not(HasSubstr("UTF-8"))))
        << name;
  }
}

TEST_F(CsvMistakes, DifferentTestSetNamesDifference) {
  const auto training = ReadCsv({.path = folder_.Write("a.csv", "x,y,c\n1,2,a\n3,4,b\n")});
  DL_ASSERT_OK(training);
  const auto differs = [&](const std::string& text, const job::CsvSource& source = {}) {
    return Read(text, source, &training->schema);
  };
  EXPECT_THAT(
      differs("x,y,z,c\n1,2,3,a\n"),
      AllOf(HasSubstr("the training split has no column \"z\""), HasSubstr("exclude_columns")));
  EXPECT_THAT(differs("x,why,c\n1,2,a\n"),
              HasSubstr("it lacks the column \"y\" of the training set, but also has \"why\""));
  EXPECT_THAT(differs("1,2,3,a\n", {.header = false}),
              HasSubstr("it has 3 columns of features, the training split has 2"));
  EXPECT_THAT(differs("1,2,a\n", {.header = false}),
              AllOf(HasSubstr("its columns have no names, and those of the training split have"),
                    HasSubstr("a header that has the names")));
  EXPECT_THAT(differs("x,y,c\n1,2,3\n", {.label_type = job::LabelType::kNumber}),
              HasSubstr("labels are numbers, the training split's are classes"));
}

// Classes without names are named by their numbers.
TEST_F(CsvMistakes, TestSetWithoutClassNamesOfTraining) {
  const Schema training = {.feature_shape = {1}, .labels = ClassLabels{.classes = 3}};
  const auto read = ReadCsv(job::CsvSource{.path = folder_.Write("t.csv", "5,2\n6,0\n")}.NoHeader(),
                            {.training = &training});
  DL_ASSERT_OK(read);
  EXPECT_EQ(read->classes, (std::vector<int32_t>{2, 0}));
  EXPECT_THAT(Read("5,7\n", {.header = false}, &training), HasSubstr("Its classes are 0, 1, 2"));
}

TEST_F(CsvMistakes, MisspelledFileGetsSuggestion) {
  folder_.Write("train.csv", "x,c\n1,a\n");
  EXPECT_THAT(Said(ReadCsv({.path = folder_ / "trian.csv"}).status()),
              AllOf(HasSubstr("there is no such file"), HasSubstr("did you mean \"train.csv\"")));
  EXPECT_THAT(Said(ReadCsv({.path = folder_ / "none/trian.csv"}).status()),
              HasSubstr("there is no folder " + folder_ / "none"));
}

}  // namespace
}  // namespace dl::dataset
