// Tests that values in another unit than those of the training set are named.
#include "dataset/unit_changes.h"

#include "absl/strings/str_cat.h"
#include "dataset/readers/source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class UnitChanges : public testing::Test {
 protected:
  // Returns a table of 40 rows: lengths from 150 to 189, a color, ages and prices.
  ExampleTable Table(double length, double price, const Schema* training = nullptr) {
    std::string text = "length,color,age,price\n";
    for (int i = 0; i < 40; ++i) {
      absl::StrAppend(&text, (150 + i) * length, ",", i % 2 == 0 ? "red" : "blue", ",", i % 9, ",",
                      (1000 + i % 7 * 100) * price, "\n");
    }
    const auto table =
        ReadSource(data::Csv(folder_.Write("t.csv", text)).FindCategorical().LabelsAreNumbers(),
                   {.training = training});
    EXPECT_TRUE(table.ok()) << table.status();
    return table.ok() ? *table : ExampleTable();
  }
  // Returns the sentences about a table whose values are multiplied.
  std::vector<std::string> Of(double length, double price, NormalizerKind kind) {
    const ExampleTable training = Table(1, 1);
    const auto features = FitNormalizer(kind, training);
    const auto targets = FitTargetNormalizer({.kind = kind}, training);
    DL_EXPECT_OK(features);
    DL_EXPECT_OK(targets);
    const auto changes =
        FindUnitChanges(Table(length, price, &training.schema), *features, *targets);
    DL_EXPECT_OK(changes);
    return *changes;
  }
  test::TempFolder folder_;
};

TEST_F(UnitChanges, FeaturesInAnotherUnitAreNamed) {
  EXPECT_THAT(
      Of(1 / 2.54, 1, NormalizerKind::kStandardize),
      ElementsAre(HasSubstr("\"length\": 40 of 40 values are far from those of the training "
                            "set, whose mean is 169.5, such as 59.")));
  EXPECT_THAT(Of(1000, 1, NormalizerKind::kMinMax),
              ElementsAre(HasSubstr("which are from 150 to 189, such as 150000")));
  EXPECT_THAT(Of(1000, 1, NormalizerKind::kNone), IsEmpty());
}

TEST_F(UnitChanges, LabelsInAnotherUnitAreNamed) {
  EXPECT_THAT(Of(1, 1000, NormalizerKind::kStandardize),
              ElementsAre(HasSubstr("the label: 40 of 40 values are far")));
  EXPECT_THAT(Of(1, 0.001, NormalizerKind::kMinMax),
              ElementsAre(HasSubstr("the label: 40 of 40 values are far")));
  EXPECT_THAT(Of(1, 0.001, NormalizerKind::kStandardize),
              ElementsAre(HasSubstr("the label: 40 of 40 values are far")));
}

TEST_F(UnitChanges, UsualDifferencesAreNotNamed) {
  for (const NormalizerKind kind : {NormalizerKind::kStandardize, NormalizerKind::kMinMax}) {
    EXPECT_THAT(Of(1, 1, kind), IsEmpty());
    EXPECT_THAT(Of(1.1, 1.2, kind), IsEmpty());
  }
}

}  // namespace
}  // namespace dl::dataset
