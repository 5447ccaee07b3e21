// Tests numbers of tables as categories, labels and values, in all spellings, and values that the
// training set does not know.
#include <string>

#include "base/json.h"
#include "dataset/readers/table/csv_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/dataset/csv_tables.h"

namespace dl::dataset {
namespace {

using test::IsError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<float>;

constexpr auto kBadNumber = absl::StatusCode::kInvalidArgument;

class TableNumbers : public CsvTables {};

// Categories that are numbers are equal if their values are.
TEST_F(TableNumbers, CategoriesThatAreNumbersCompareAsNumbers) {
  const auto source = job::CsvSource().Categorical({"zone"});
  const Schema training = Training("zone,k\n1,x\n2.0,y\n03,x\n1.0,y\n", source);
  EXPECT_THAT(training.columns()[0].categories, ElementsAre("1", "2", "3"));
  const auto test = Read("zone,k\n1.0,x\n2,y\n+3,x\n4,y\n", source, &training);
  DL_ASSERT_OK(test);
  EXPECT_EQ(test->f32, (Numbers{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}));
  // Among texts they are compared as texts.
  const Schema texts = Training("zone,k\n1,x\n1.0,y\nA,x\n", source);
  EXPECT_THAT(texts.columns()[0].categories, ElementsAre("1", "1.0", "A"));
}

TEST_F(TableNumbers, LabelsThatAreNumbersAreTheSameWhereTheirValuesAre) {
  const auto table = Read("a,k\n1,1\n2,1.0\n3,0\n4,+1\n", {});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.class_names(), ElementsAre("0", "1"));
  EXPECT_THAT(table->classes, ElementsAre(1, 1, 0, 1));
  const auto test = Read("a,k\n1,0.0\n2,1e0\n", {}, &table->schema);
  DL_ASSERT_OK(test);
  EXPECT_THAT(test->classes, ElementsAre(0, 1));
  EXPECT_THAT(Training("a,k\n1,0.50\n2,.5\n3,1\n", {}).class_names(), ElementsAre("0.5", "1"));
  EXPECT_THAT(Training("a,k\n1,1\n2,1.0\n3,b\n", {}).class_names(), ElementsAre("1", "1.0", "b"));
}

TEST_F(TableNumbers, UnknownCategoriesAreCounted) {
  const Schema training =
      Training(kAnimals, job::CsvSource().FindCategorical().OnMissing(
                             job::MissingNumber::kMean, job::MissingCategory::kOwnClass));
  const std::string path =
      folder_.Write("t.csv", "animal,weight,home,kind\ncow,1,house,a\ndog,2,?,b\nape,3,tent,a\n");
  std::vector<UnknownCategories> unknown;
  DL_ASSERT_OK(ReadCsv({.path = path}, {.training = &training, .unknown = &unknown}));
  ASSERT_EQ(unknown.size(), 2u);
  EXPECT_EQ(unknown[0].column, "animal");
  EXPECT_EQ(unknown[0].unknown, 2);
  EXPECT_EQ(unknown[0].values, 3);
  EXPECT_EQ(unknown[0].example, "cow");
  EXPECT_EQ(unknown[1].column, "home");
  EXPECT_EQ(unknown[1].values, 2) << "a missing value is none that is unknown";
}

// A column of numbers whose first value is not a number is not a column of categories.
TEST_F(TableNumbers, AutomaticCategoriesAreNotMostlyNumbers) {
  const Status status =
      Read("a,b,k\nNone,2,A\n0.25,3,B\n0.5,1,A\n0.75,1,B\n", job::CsvSource().FindCategorical())
          .status();
  EXPECT_THAT(
      status,
      IsError(kBadNumber, "column 1 (\"a\"): 3 of its 4 values are numbers, but \"None\" is not"));
  EXPECT_THAT(ErrorRemedy(status), HasSubstr("missing_values"));
}

TEST_F(TableNumbers, DecimalCommasAndRunsOfBlanks) {
  const auto commas =
      Read("a;b;k\n1,5;-,25;x\n2;3,5e1;y\n", job::CsvSource().Separator(";").DecimalComma());
  DL_ASSERT_OK(commas);
  EXPECT_EQ(commas->f32, (Numbers{1.5f, -0.25f, 2, 35}));
  EXPECT_THAT(Read("a;b;k\n1,5;2.5;x\n", job::CsvSource().Separator(";").DecimalComma()).status(),
              IsError(kBadNumber, "row 2, column 2 (\"b\"): \"2.5\" has a decimal point"));
  EXPECT_EQ(Read("y;a\n1,5;1\n0,25;2\n",
                 job::CsvSource().Separator(";").DecimalComma().LabelColumn(0).LabelsAreNumbers())
                ->targets,
            (Numbers{1.5f, 0.25f}));
  const auto blanks =
      Read("  a   b\tk\n 1.5   2  x \n\n2  3\t\t\"y z\"\n", job::CsvSource().Separator("blanks"));
  DL_ASSERT_OK(blanks);
  EXPECT_EQ(blanks->f32, (Numbers{1.5f, 2, 2, 3}));
  EXPECT_THAT(blanks->schema.class_names(), ElementsAre("x", "y z"));
}

TEST_F(TableNumbers, LinesEndWithCrToo) {
  const auto table = Read("a,k\r1,x\r\n2,y\n3,x\r", {});
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->f32, (Numbers{1, 2, 3}));
  EXPECT_THAT(Read("a,k\r1,x\rz,y\r", {}).status(), IsError(kBadNumber, "t.csv:3"));
}

TEST_F(TableNumbers, PlaceOfLabelsIsStored) {
  EXPECT_THAT(Training("k,a\nx,1\ny,2\n", job::CsvSource().LabelColumn("k")).label_columns.all,
              ElementsAre(job::Column("k")));
  EXPECT_THAT(Training("1,x\n2,y\n", job::CsvSource().NoHeader()).label_columns.all,
              ElementsAre(job::Column(int64_t{1})));
  const Schema schema = Training("a,b,k\n1,2,3\n", job::CsvSource().TargetColumns({"k", "a"}));
  EXPECT_THAT(schema.label_columns.all, ElementsAre(job::Column("k"), job::Column("a")));
  const auto again = SchemaFromJson(SchemaToJson(schema), "schema");
  DL_ASSERT_OK(again);
  EXPECT_EQ(*again, schema);
}

}  // namespace
}  // namespace dl::dataset
