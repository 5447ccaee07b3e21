// Tests tables for a trained model: columns found by name, labels, unknown categories.
#include "tests/support/status_matchers.h"
#include "tests/unit/dataset/guessed_table.h"

namespace dl::dataset {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TableOfAModel : public TableGuess {
 protected:
  TableOfAModel() {
    const std::string told = Guess(
        "id,size,color,kind\n1,1.5,red,A\n2,2.5,blue,B\n3,3.5,red,A\n4,4.5,blue,B\n5,1,red,A\n");
    EXPECT_THAT(told, HasSubstr("id numbers left out"));
    model_ = schema_;
  }
  std::string Of(const std::string& text, TableHints hints = {}) {
    return Guess(text, {.hints = std::move(hints), .known = &model_});
  }
  Schema model_;
};

TEST_F(TableOfAModel, ColumnsAreFoundByNameInAnyOrder) {
  EXPECT_THAT(Of("kind,color,size\nA,red,1\nB,blue,2\n"), HasSubstr("kind classes label"));
  EXPECT_EQ(features_, (std::vector<float>{1, 0, 1, 2, 1, 0}));
  EXPECT_EQ(schema_, model_);
}

TEST_F(TableOfAModel, NewColumnsAreLeftOutWithASentence) {
  const std::string told = Of("id,size,color,weight,kind\n7,1,red,3,A\n8,2,blue,4,B\n");
  EXPECT_THAT(told, HasSubstr("weight numbers left out"));
  EXPECT_THAT(told,
              HasSubstr("left out, as the training set does not have them: \"id\", \"weight\""));
}

TEST_F(TableOfAModel, MissingColumnsAreNamed) {
  EXPECT_THAT(Of("siez,kind\n1,A\n2,B\n"),
              HasSubstr("it lacks the columns \"size\", \"color\" of the training set, but also "
                        "has \"siez\"; did you mean \"siez\"?"));
}

TEST_F(TableOfAModel, TableWithoutLabelsIsAccepted) {
  EXPECT_THAT(Of("color,size\nred,1\nblue,2\n"), HasSubstr("without labels"));
  EXPECT_EQ(features_, (std::vector<float>{1, 0, 1, 2, 1, 0}));
}

TEST_F(TableOfAModel, ColumnOfLabelsWithoutAnyIsLeftOut) {
  const std::string told = Of("color,kind,size\nred,,1\nblue,,2\n");
  EXPECT_THAT(told, HasSubstr("column 2 (\"kind\"): it has no labels; the table is read without"));
  EXPECT_THAT(told, HasSubstr("without labels"));
  EXPECT_THAT(Of("color,kind,size\nred,A,1\nblue,,2\n"), HasSubstr("the label is missing"));
}

TEST_F(TableOfAModel, TableWithoutAHeaderIsRefusedByAModelWithNames) {
  const std::string rows = "1,red,A\n2,blue,B\n3,red,A\n4,red,B\n";
  EXPECT_THAT(Of(rows), HasSubstr("it has no header, and the columns of the training set have "
                                  "names: size, color | Add a first row"));
}

TEST_F(TableOfAModel, ExpectedTableOfATrainingSetCountsUnknownCategories) {
  const auto train = GuessTable(folder_.Write("a.csv", "size,zone,kind\n1,1,A\n2,2.0,B\n3,1,A\n"),
                                {.hints = {.categories = {"zone"}}});
  DL_ASSERT_OK(train);
  const auto test = GuessTable(folder_.Write("b.csv", "size,zone,kind\n1,1.0,A\n,2,B\n3,4,A\n"),
                               {.known = &train->expected});
  DL_ASSERT_OK(test);
  EXPECT_EQ(test->report.columns[1].unknown, 1) << "4";
  EXPECT_TRUE(test->lacks_numbers);
  EXPECT_FALSE(test->lacks_categories);
}

TEST_F(TableOfAModel, UnknownCategoriesAreCounted) {
  const auto guessed =
      GuessTable(folder_.Write("n.csv", "size,color,kind\n1,green,A\n2,red,B\n3,pink,A\n"),
                 {.known = &model_});
  DL_ASSERT_OK(guessed);
  EXPECT_EQ(guessed->report.columns[1].unknown, 2);
}

TEST_F(TableOfAModel, OddValuesOfANumberColumnAreNamed) {
  std::string text = "size,color,kind\n";
  for (int i = 0; i < 30; ++i) absl::StrAppend(&text, i, ",red,A\n");
  EXPECT_THAT(Of(text + "broken,red,A\n"), HasSubstr("row 32, column 1 (\"size\"): \"broken\""));
  EXPECT_THAT(Of("size,color,kind\nlarge,red,A\nsmall,red,B\nlarge,red,A\n"),
              HasSubstr("is not a number, and the column has numbers in the training set"));
}

TEST_F(TableOfAModel, CommonSuffixOfLabelsIsRemoved) {
  EXPECT_THAT(Of("size,color,kind\n1,red,A.\n2,blue,B.\n"), HasSubstr("labels end with \".\""));
  EXPECT_EQ(source_.label_suffix, ".");
}

TEST_F(TableOfAModel, PlacesCountWithoutAHeader) {
  Guess("A,1.5,2\nB,2.5,3\nA,3.5,1\nB,1.25,2\nA,2,2\n", {.hints = {.label = "0"}});
  model_ = schema_;
  EXPECT_THAT(Of("B,1.5,2\nA,2.5,3\n"), HasSubstr("[0] classes label"));
  EXPECT_THAT(Of("1.5,2\n2.5,3\n1.75,2\n"), HasSubstr("without labels"));
  EXPECT_THAT(Of("9,A,1.5,2\n8,B,2.5,3\n"),
              HasSubstr("it has 4 columns, the training set has 2 of features and the label"));
  EXPECT_THAT(
      Of("7,1.5,2\n8,2.5,3\n9,1.75,2\n"),
      AllOf(HasSubstr("column 1 has the place of the label, and none of its values, such as "
                      "\"7\", is a class: A, B"),
            HasSubstr("--drop COLUMN")));
}

TEST_F(TableOfAModel, LabelInThePlaceOfAFeatureIsNamed) {
  Guess("1.5,2,1\n2.5,3,0\n3.5,1,1\n1.25,2,0\n2,2,1\n", {.hints = {.labels_are_classes = true}});
  model_ = schema_;
  EXPECT_THAT(Of("1.5,1\n2.5,0\n1.75,1\n"),
              HasSubstr("column 2: all of its values are classes of the model"));
  EXPECT_THAT(Of("1.5,2\n2.5,3\n1.75,2\n"), Not(HasSubstr("are classes of the model")));
}

TEST_F(TableOfAModel, RowsWithoutValuesAreNamed) {
  const auto guessed = GuessTable(folder_.Write("n.csv", "size,color\n1,red\n,\n,\n2,blue\n,\n"),
                                  {.known = &model_});
  DL_ASSERT_OK(guessed);
  EXPECT_THAT(Told(guessed->report), HasSubstr("row 3 and 1 more have no values"));
}

}  // namespace
}  // namespace dl::dataset
