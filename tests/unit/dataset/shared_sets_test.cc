// Tests published datasets in their original form. All expected numbers are published with them.
#include <algorithm>

#include "dataset/readers/source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/shared_data.h"
#include "tests/support/status_matchers.h"

namespace dl::dataset {
namespace {

using test::IsError;
using test::SharedData;

constexpr auto kOwnClass = job::MissingCategory::kOwnClass;

std::vector<int64_t> Histogram(const ExampleTable& table) {
  std::vector<int64_t> counts(table.schema.classes());
  for (const int32_t label : table.classes) ++counts[label];
  return counts;
}

TEST(SharedSets, Cifar10) {
  const std::string folder = SharedData("cifar10");
  DL_SKIP_WITHOUT(folder);
  const auto table = ReadSource(data::Cifar10(folder + "data_batch_[1].bin.zst"));
  DL_ASSERT_OK(table);
  EXPECT_EQ(Histogram(*table),
            (std::vector<int64_t>{1005, 974, 1032, 1016, 999, 937, 1030, 1001, 1025, 981}));
  EXPECT_EQ((std::vector<int32_t>{table->classes.begin(), table->classes.begin() + 6}),
            (std::vector<int32_t>{6, 9, 9, 4, 1, 1}));
  EXPECT_EQ((std::vector<int>{table->u8.begin() + 3072, table->u8.begin() + 3076}),
            (std::vector<int>{154, 126, 105, 102}));
}

TEST(SharedSets, Agaricus) {
  const std::string folder = SharedData("agaricus");
  DL_SKIP_WITHOUT(folder);
  const auto table = ReadSource(data::Libsvm(folder + "agaricus.txt.train"));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->schema.feature_shape, (std::vector<int64_t>{126}));
  EXPECT_EQ(Histogram(*table), (std::vector<int64_t>{3373, 3140}));
  EXPECT_EQ(std::count(table->f32.begin(), table->f32.end(), 1.0f), 143'286);
  const auto test =
      ReadSource(data::Libsvm(folder + "agaricus.txt.test"), {.training = &table->schema});
  DL_ASSERT_OK(test);
  EXPECT_EQ(Histogram(*test), (std::vector<int64_t>{835, 776}));
  EXPECT_EQ(std::count(test->f32.begin(), test->f32.end(), 1.0f), 35'442);
}

// 6 columns of numbers and 8 of words, with 99 different words. Three of the latter have missing
// values. The labels of the test set end with a full stop.
TEST(SharedSets, Adult) {
  const std::string folder = SharedData("adult");
  DL_SKIP_WITHOUT(folder);
  const auto plain = data::Csv(folder + "adult_train.csv.zst");
  EXPECT_THAT(ReadSource(plain).status(),
              IsError(absl::StatusCode::kInvalidArgument,
                      "row 2, column 2 (\"workclass\"): \"State-gov\""));
  const auto table = ReadSource(job::CsvSource(plain).FindCategorical().OnMissing({}, kOwnClass));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->schema.feature_shape, (std::vector<int64_t>{6 + 99 + 3}));
  EXPECT_EQ(Histogram(*table), (std::vector<int64_t>{24720, 7841}));
  const auto test = data::Csv(folder + "adult_test.csv.zst");
  EXPECT_THAT(ReadSource(test, {.training = &table->schema}).status(),
              IsError(absl::StatusCode::kInvalidArgument, "label_suffix"));
  const auto read = ReadSource(job::CsvSource(test).LabelSuffix("."), {.training = &table->schema});
  DL_ASSERT_OK(read);
  EXPECT_EQ(read->schema, table->schema);
  EXPECT_EQ(Histogram(*read), (std::vector<int64_t>{12435, 3846}));
}

// 19 values are missing: two rows have no measures, and eleven have no sex.
TEST(SharedSets, Penguins) {
  const std::string folder = SharedData("penguins");
  DL_SKIP_WITHOUT(folder);
  const auto table = ReadSource(data::Csv(folder + "penguins.csv")
                                    .LabelColumn("species")
                                    .FindCategorical()
                                    .OnMissing(job::MissingNumber::kMean, kOwnClass));
  DL_ASSERT_OK(table);
  EXPECT_EQ(Histogram(*table), (std::vector<int64_t>{152, 68, 124}));
  EXPECT_THAT(table->schema.feature_names(),
              testing::ElementsAre("island=Biscoe", "island=Dream", "island=Torgersen",
                                   "bill_length_mm", "bill_depth_mm", "flipper_length_mm",
                                   "body_mass_g", "sex=", "sex=female", "sex=male", "year"));
  EXPECT_NEAR(*table->schema.columns()[1].fill_number, 43.92193, 1e-4);
}

TEST(SharedSets, MnistAndWine) {
  const std::string mnist = SharedData("mnist"), wine = SharedData("wine-quality");
  DL_SKIP_WITHOUT(mnist);
  DL_SKIP_WITHOUT(wine);
  const auto digits = ReadSource(
      data::Idx(mnist + "t10k-images-idx3-ubyte.gz", mnist + "t10k-labels-idx1-ubyte.gz"));
  DL_ASSERT_OK(digits);
  EXPECT_EQ(Histogram(*digits),
            (std::vector<int64_t>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}));
  const auto both = ReadSource(data::Csv(wine + "*.csv").Separator(";").LabelsAreNumbers());
  DL_ASSERT_OK(both);
  EXPECT_EQ(both->examples, 1599 + 4898);
}

}  // namespace
}  // namespace dl::dataset
