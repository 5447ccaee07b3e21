// Tests tables whose rows have several labels, some of which are classes given by name.
#include "base/json.h"
#include "dataset/job_plan.h"
#include "dataset/readers/table/csv_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::dataset {
namespace {

using test::IsError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kWrong = absl::StatusCode::kInvalidArgument;
const char* const kBirds =
    "wing,mass,kind,place\n1,10.5,owl,north\n2,11,,south\n3,12,auk,north\n4,13,owl,NA\n";

class TargetClasses : public testing::Test {
 protected:
  StatusOr<ExampleTable> Read(const std::string& text, ReadOptions options = {}) {
    source_.path = folder_.Write("t.csv", text);
    return ReadCsv(source_, options);
  }
  test::TempFolder folder_;
  job::CsvSource source_ =
      job::CsvSource().TargetColumns({"mass", "kind", "place"}).Categorical({"kind", "place"});
};

TEST_F(TargetClasses, AreNumberedByName) {
  const auto table = Read(kBirds);
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->f32, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(table->targets, ElementsAre(10.5, 1, 0, 11, -1, 1, 12, 0, 0, 13, 1, -1));
  const Schema& schema = table->schema;
  EXPECT_EQ(schema.label_kind(), LabelKind::kTarget);
  EXPECT_EQ(schema.target_size(), 3);
  EXPECT_THAT(schema.ClassNamesAt(0), ElementsAre());
  EXPECT_THAT(schema.ClassNamesAt(1), ElementsAre("auk", "owl"));
  EXPECT_THAT(schema.ClassNamesAt(2), ElementsAre("north", "south"));
  EXPECT_TRUE(schema.columns().empty()) << "features are plain numbers";
  EXPECT_THAT(SummaryOf(schema, 4).target_classes, ElementsAre(0, 2, 2));
  const auto again = SchemaFromJson(SchemaToJson(schema), "schema");
  DL_ASSERT_OK(again);
  EXPECT_EQ(*again, schema);
}

TEST_F(TargetClasses, TestSetUsesClassesOfTrainingSet) {
  const auto training = Read(kBirds);
  DL_ASSERT_OK(training);
  const auto test =
      Read("wing,mass,kind,place\n7,1,owl,south\n8,2,?,?\n", {.training = &training->schema});
  DL_ASSERT_OK(test);
  EXPECT_THAT(test->targets, ElementsAre(1, 1, 1, 2, -1, -1));
  EXPECT_EQ(test->schema, training->schema);
  EXPECT_THAT(Read("wing,mass,kind,place\n7,1,gull,south\n", {.training = &training->schema}),
              IsError(kWrong, "no category \"gull\""));
  const auto unlabelled =
      Read("wing\n7\n", {.training = &training->schema, .labels = LabelColumns::kNone});
  DL_ASSERT_OK(unlabelled);
  EXPECT_EQ(unlabelled->schema, training->schema);
}

// Both parts have the classes of the whole table.
TEST_F(TargetClasses, SplitUsesClassesOfAllRows) {
  std::string rows = "wing,mass,kind,place\n";
  for (int i = 0; i < 20; ++i) rows += std::to_string(i) + ",1,k" + std::to_string(i) + ",north\n";
  const job::SplitConfig split{.test_fraction = 0.5, .seed = 3};
  const auto training = Read(rows, {.part = SplitPart{split, Part::kTraining}});
  DL_ASSERT_OK(training);
  EXPECT_EQ(training->schema.ClassNamesAt(1).size(), 20u);
  const auto test =
      Read(rows, {.training = &training->schema, .part = SplitPart{split, Part::kTest}});
  DL_ASSERT_OK(test);
  EXPECT_EQ(test->examples + training->examples, 20);
}

TEST_F(TargetClasses, MistakesAreReportedWithPlace) {
  EXPECT_THAT(Read("wing,mass,kind,place\n1,x,owl,north\n"), IsError(kWrong, "\"x\" is not a"));
  EXPECT_THAT(Read("wing,mass,kind,place\n1,,owl,north\n"), IsError(kWrong, "a value is missing"));
  const Status none = Read("wing,mass,kind,place\n1,2,,north\n3,4,,north\n").status();
  EXPECT_THAT(none, IsError(kWrong, "column 3 (\"kind\"): every value of the column is missing"));
  source_.Categorical({"place"});
  const Status words = Read(kBirds).status();
  EXPECT_THAT(words, IsError(kWrong, "\"owl\" is not a number"));
  EXPECT_THAT(ErrorRemedy(words), HasSubstr("name it in categorical_columns"));
}

TEST_F(TargetClasses, SingleLabelIsClassByLabelType) {
  source_ = job::CsvSource().LabelColumn("kind").Categorical({"kind"});
  EXPECT_THAT(Read(kBirds), IsError(kWrong, "categorical_columns names"));
}

TEST(TargetColumns, SchemaIsChecked) {
  const FeatureColumn classes{.name = "kind",
                              .encoding = ColumnEncoding::kIndex,
                              .categories = {"a", "b"},
                              .unknown_is_error = true};
  Schema schema{
      .feature_shape = {1},
      .labels = TargetLabels{.size = 2, .columns = {FeatureColumn{.name = "x"}, classes}}};
  DL_EXPECT_OK(ValidateSchema(schema));
  std::vector<FeatureColumn>& columns = std::get<TargetLabels>(schema.labels).columns;
  columns.pop_back();
  EXPECT_THAT(ValidateSchema(schema), IsError(kWrong, "1 columns of targets for 2 targets"));
  columns.push_back(classes);
  columns[1].encoding = ColumnEncoding::kOneHot;
  EXPECT_THAT(ValidateSchema(schema), IsError(kWrong, "numbers or classes"));
  columns[1] = classes;
  columns[0].fill_number = 1;
  EXPECT_THAT(ValidateSchema(schema), IsError(kWrong, "numbers or classes"));
}

}  // namespace
}  // namespace dl::dataset
