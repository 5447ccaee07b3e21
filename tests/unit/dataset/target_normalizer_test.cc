#include "dataset/target_normalizer.h"

#include "dataset/batch_reader.h"
#include "dataset/block_cutting.h"
#include "dataset/dataset.h"
#include "dataset/manifest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/dataset/dataset_fixtures.h"

namespace dl::dataset {
namespace {

using test::IsError;
using testing::ElementsAre;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// Returns a table whose labels are two numbers each.
ExampleTable TableOf(std::vector<float> targets) {
  ExampleTable table{.schema = {.feature_shape = {1}, .labels = TargetLabels{.size = 2}},
                     .examples = static_cast<int64_t>(targets.size() / 2)};
  table.targets = std::move(targets);
  table.f32.resize(table.examples);
  return table;
}

TEST(TargetNormalizer, EachTargetHasItsOwnMeanAndDeviation) {
  const auto fitted = FitTargetNormalizer({.kind = NormalizerKind::kStandardize},
                                          TableOf({1e5f, 7, 3e5f, 7, 5e5f, 7, 7e5f, 7}));
  DL_ASSERT_OK(fitted);
  EXPECT_THAT(fitted->first, ElementsAre(4e5, 7));
  EXPECT_THAT(fitted->second, ElementsAre(testing::DoubleNear(223606.797749979, 1e-9), 0));

  const TargetScaler scaler(*fitted);
  std::vector<float> row{7e5f, 9};
  scaler.Apply(row, row);
  EXPECT_FLOAT_EQ(row[0], 1.3416407f);
  EXPECT_EQ(row[1], 2) << "a target without any spread keeps its scale";
  scaler.Restore(0, 2, row);
  EXPECT_THAT(row, ElementsAre(testing::FloatEq(7e5f), 9));
  std::vector<float> second{2, 3};
  scaler.Restore(1, 1, second);
  EXPECT_THAT(second, ElementsAre(9, 10)) << "predictions of the second target alone";
  EXPECT_DOUBLE_EQ(scaler.UnitOf(0), fitted->second[0]);
}

TEST(TargetNormalizer, MinMaxMapsTheTrainingTargetsToOneUnit) {
  const auto fitted =
      FitTargetNormalizer({.kind = NormalizerKind::kMinMax}, TableOf({-10, 0, 30, 4, 10, 8}));
  DL_ASSERT_OK(fitted);
  EXPECT_THAT(fitted->first, ElementsAre(-10, 0));
  EXPECT_THAT(fitted->second, ElementsAre(30, 8));
  std::vector<float> row{30, 4};
  TargetScaler(*fitted).Apply(row, row);
  EXPECT_THAT(row, ElementsAre(1, 0.5f));
}

TEST(TargetNormalizer, TargetsThatAreNotScaledStayAsTheyAre) {
  const auto fitted = FitTargetNormalizer(
      {.kind = NormalizerKind::kStandardize, .scaled = {true, false}}, TableOf({2, 1, 6, 0}));
  DL_ASSERT_OK(fitted);
  EXPECT_THAT(fitted->first, ElementsAre(4, 0));
  EXPECT_THAT(fitted->second, ElementsAre(2, 1));
  ExampleTable named = TableOf({2, 1, 6, 0});
  std::get<TargetLabels>(named.schema.labels).columns = {
      {.name = "price"},
      {.name = "kind", .encoding = ColumnEncoding::kIndex, .categories = {"a", "b"}}};
  const auto of_named = FitTargetNormalizer({.kind = NormalizerKind::kStandardize}, named);
  DL_ASSERT_OK(of_named);
  EXPECT_EQ(*of_named, *fitted) << "a class by its name is no number";
}

TEST(TargetNormalizer, StepsAfterTheEndDoNotCount) {
  ExampleTable table{.schema = {.feature_shape = {3, 1},
                                .variable_length = true,
                                .labels = TargetLabels{.size = 1, .per_example = 3}},
                     .examples = 2};
  table.targets = {1, 0, 0, 2, 6, 0};
  table.lengths = {1, 2};
  table.f32.resize(6);
  const auto fitted = FitTargetNormalizer({.kind = NormalizerKind::kMinMax}, table);
  DL_ASSERT_OK(fitted);
  EXPECT_THAT(fitted->first, ElementsAre(1));
  EXPECT_THAT(fitted->second, ElementsAre(6));
}

TEST(TargetNormalizer, LabelsThatAreNoNumbersAreRefused) {
  ExampleTable classes{.schema = {.feature_shape = {1}, .labels = ClassLabels{.classes = 2}},
                       .examples = 2};
  classes.classes = {0, 1};
  classes.f32 = {1, 2};
  EXPECT_THAT(FitTargetNormalizer({.kind = NormalizerKind::kMinMax}, classes).status(),
              IsError(kInvalid, "the labels are not numbers"));
  EXPECT_THAT(FitTargetNormalizer({.kind = NormalizerKind::kMinMax, .scaled = {true}},
                                  TableOf({1, 2, 3, 4}))
                  .status(),
              IsError(kInvalid, "a label has 2 numbers, the model's outputs take 1"));
  const Normalizer one{.kind = NormalizerKind::kStandardize, .first = {0}, .second = {1}};
  EXPECT_THAT(ValidateTargetNormalizer(one, classes.schema),
              IsError(kInvalid, "the labels are not numbers"));
  EXPECT_THAT(ValidateTargetNormalizer(one, TableOf({1, 2}).schema), IsError(kInvalid, "entries"));
}

// Training and evaluation read scaled numbers. The blocks hold the numbers of the source.
TEST(TargetNormalizer, ManifestOfEachSetHasIt) {
  MemoryBlocks blocks;
  const auto train = CutBlocks(
      TableOf({0, 0, 10, 1}),
      {.target_normalizer = {.kind = NormalizerKind::kMinMax}, .order = CutOrder::kSource}, blocks);
  DL_ASSERT_OK(train);
  const auto again = ManifestFromJson(ManifestToJson(*train), "m");
  DL_ASSERT_OK(again);
  EXPECT_EQ(*again, *train);
  const auto test = CutBlocks(TableOf({5, 0.5f}),
                              {.fitted = CutOptions::Fitted{.features = train->normalizer,
                                                            .targets = train->target_normalizer},
                               .order = CutOrder::kSource},
                              blocks);
  DL_ASSERT_OK(test);
  EXPECT_EQ(test->target_normalizer, train->target_normalizer);
  const auto data = Dataset::Create(*test, std::make_shared<DecodedBlockCache>(blocks));
  DL_ASSERT_OK(data);
  const auto block = (*data)->ReadBlock(0);
  DL_ASSERT_OK(block);
  EXPECT_THAT((*block)->targets(), ElementsAre(5, 0.5f));
  const auto order = (*data)->Order({.shuffle = Shuffle::kNone});
  DL_ASSERT_OK(order);
  auto reader = BatchReader::Create({.dataset = *data, .order = *order, .range = {0, 1}});
  DL_ASSERT_OK(reader);
  BatchBuffer buffer;
  DL_ASSERT_OK((*reader)->Next(buffer));
  EXPECT_THAT(buffer.batch().targets, ElementsAre(0.5f, 0.5f));
}

}  // namespace
}  // namespace dl::dataset
