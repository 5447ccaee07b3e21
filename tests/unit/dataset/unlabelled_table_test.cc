// Tests tables for prediction, which have no labels.
#include "dataset/readers/table/csv_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::dataset {
namespace {

using test::IsError;
using ::testing::ElementsAre;

class UnlabelledTable : public testing::Test {
 protected:
  StatusOr<ExampleTable> Read(const std::string& text, const Schema* training = nullptr) {
    source_.path = folder_.Write("t.csv", text);
    return ReadCsv(source_, {.training = training,
                             .memory = {},
                             .part = {},
                             .labels = training == nullptr ? LabelColumns::kAsTheSourceSays
                                                           : LabelColumns::kNone});
  }
  test::TempFolder folder_;
  job::CsvSource source_;
};

TEST_F(UnlabelledTable, AllColumnsAreFeatures) {
  source_.FindCategorical();
  const auto training = Read("x,kind,label\n1,red,yes\n2,blue,no\n");
  DL_ASSERT_OK(training);
  const auto table = Read("x,kind\n5,blue\n6,red\n7,red\n", &training->schema);
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->schema, training->schema);
  EXPECT_EQ(table->examples, 3);
  EXPECT_THAT(table->f32, ElementsAre(5, 1, 0, 6, 0, 1, 7, 0, 1));
  EXPECT_THAT(table->classes, ElementsAre(0, 0, 0));
}

TEST_F(UnlabelledTable, NumbersOrSingleColumnAreRead) {
  source_.LabelsAreNumbers();
  const auto training = Read("x,y\n1,2.5\n2,3.5\n");
  DL_ASSERT_OK(training);
  const auto table = Read("x\n5\n6\n", &training->schema);
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->f32, ElementsAre(5, 6));
  EXPECT_EQ(table->schema.target_size(), 1);
}

TEST_F(UnlabelledTable, LabelsAreLeftOutByTheirName) {
  const auto training = Read("x,y,label\n1,2,a\n2,3,b\n");
  DL_ASSERT_OK(training);
  const auto table = Read("label,y,x\na,1,3\n", &training->schema);
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->f32, ElementsAre(3, 1));
}

TEST_F(UnlabelledTable, LabelsWithoutANameDoNotFit) {
  source_.NoHeader();
  const auto training = Read("1,2,a\n2,3,b\n");
  DL_ASSERT_OK(training);
  const Status status = Read("1,2,a\n", &training->schema).status();
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument,
                              "it has 3 columns of features, the training split has 2"));
  EXPECT_THAT(ErrorRemedy(status), testing::HasSubstr("leave --no-labels out"));
}

}  // namespace
}  // namespace dl::dataset
