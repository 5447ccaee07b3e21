// Tests labels of arrays that are not a plain row of classes, and arrays with channels last.
#include "base/json.h"
#include "dataset/readers/array/npy_reader.h"
#include "dataset/split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/dataset_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::IsError;
using test::Npy;
using test::Raw;
using ::testing::HasSubstr;

class NpyLabelsTest : public testing::Test {
 protected:
  test::TempFolder folder_;
};

TEST_F(NpyLabelsTest, ColumnOfClassesHasOneClassPerExample) {
  const auto table =
      ReadNpy(data::Npy(folder_.Write("x.npy", Npy("|u1", "(3, 2)", std::string(6, '\1'))),
                        folder_.Write("y.npy", Npy("<i8", "(3, 1)", Raw<int64_t>({2, 0, 1})))));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->classes, (std::vector<int32_t>{2, 0, 1}));
  EXPECT_EQ(table->schema.labels_per_example(), 1);
}

TEST_F(NpyLabelsTest, NoLabelNumberMeansNoClass) {
  const std::string x = folder_.Write("x.npy", Npy("|u1", "(4, 1)", "abcd"));
  const std::string y = folder_.Write("y.npy", Npy("<i8", "(4,)", Raw<int64_t>({1, -1, 0, -1})));
  const auto table = ReadNpy(data::Npy(x, y).NoLabel(-1));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->classes, (std::vector<int32_t>{1, kNoLabel, 0, kNoLabel}));
  EXPECT_EQ(table->schema.classes(), 2);
  const auto schema = SchemaFromJson(SchemaToJson(table->schema), "schema");
  DL_ASSERT_OK(schema);
  EXPECT_EQ(*schema, table->schema);
  const auto parts = PartsOf({.test_fraction = 0.5, .stratified = true},
                             {.examples = 4, .classes = table->classes});
  DL_ASSERT_OK(parts);
  const auto without = ReadNpy(data::Npy(x, y));
  EXPECT_THAT(without.status(), IsError(absl::StatusCode::kDataLoss, "value 1 is out of range"));
  EXPECT_THAT(std::string(without.status().message()), HasSubstr("it is -1"));
  EXPECT_THAT(ErrorRemedy(without.status()), HasSubstr("no_label"));
}

// Two images of 5 x 6 with three channels. Each value is determined by channel, row and column.
TEST_F(NpyLabelsTest, ChannelsThatStandLastAreMovedOrRefused) {
  std::string last, first;
  std::vector<double> wide;
  for (int n = 0; n < 2; ++n) {
    for (int h = 0; h < 5; ++h) {
      for (int w = 0; w < 6; ++w) {
        for (int c = 0; c < 3; ++c) {
          last.push_back(static_cast<char>(n * 100 + c * 30 + h * 6 + w));
          wide.push_back(n * 100 + c * 30 + h * 6 + w);
        }
      }
    }
    for (int i = 0; i < 90; ++i) first.push_back(static_cast<char>(n * 100 + i));
  }
  const std::string shape = "(2, 5, 6, 3)", y = folder_.Write("y.npy", Npy("|u1", "(2,)", {1, 0}));
  const std::string bytes = folder_.Write("b.npy", Npy("|u1", shape, last)),
                    doubles = folder_.Write("d.npy", Npy("<f8", shape, Raw(wide)));
  EXPECT_THAT(
      ReadNpy(data::Npy(bytes, y)).status(),
      IsError(absl::StatusCode::kDataLoss,
              "has examples of 5x6x3: these look like images with 3 channels in the last place"));
  const std::string two =
      folder_.Write("two.npy", Npy("|u1", "(2, 8, 8, 2)", std::string(256, '\1')));
  EXPECT_THAT(ReadNpy(data::Npy(two, y)).status(),
              IsError(absl::StatusCode::kDataLoss,
                      "these look like images with 2 channels in the last place"));
  const std::string six =
      folder_.Write("six.npy", Npy("|u1", "(2, 10, 8, 6)", std::string(960, '\1')));
  EXPECT_THAT(ReadNpy(data::Npy(six, y)).status(),
              IsError(absl::StatusCode::kDataLoss,
                      "these look like images with 6 channels in the last place"));
  const auto table = ReadNpy(data::Npy(bytes, y).Layout(job::ArrayLayout::kChannelsLast));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->schema.feature_shape, (std::vector<int64_t>{3, 5, 6}));
  EXPECT_EQ(std::string(table->u8.begin(), table->u8.end()), first);
  const auto floats = ReadNpy(data::Npy(doubles, y).Layout(job::ArrayLayout::kChannelsLast));
  DL_ASSERT_OK(floats);
  EXPECT_EQ(floats->f32, std::vector<float>(table->u8.begin(), table->u8.end()));
  const auto as_written = ReadNpy(data::Npy(bytes, y).Layout(job::ArrayLayout::kChannelsFirst));
  DL_ASSERT_OK(as_written);
  EXPECT_EQ(as_written->schema.feature_shape, (std::vector<int64_t>{5, 6, 3}));
}

}  // namespace
}  // namespace dl::dataset
