// Sets of the world as they lie. What is asserted of them is published with them.
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

std::vector<int64_t> Histogram(const ExampleTable& table) {
  std::vector<int64_t> counts(table.schema.classes);
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

// Its columns of words are no features yet; what is told is of them, not of how it is packed.
TEST(SharedSets, Adult) {
  const std::string folder = SharedData("adult");
  DL_SKIP_WITHOUT(folder);
  const Status status = ReadSource(data::Csv(folder + "adult_train.csv.zst")).status();
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "row 2, column 2"));
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "\"State-gov\" is not a number"));
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
