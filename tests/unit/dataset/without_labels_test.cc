// Tests datasets without labels, for models whose losses need none.
#include <filesystem>

#include "base/json.h"
#include "dataset/block.h"
#include "dataset/readers/source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/dataset_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/image_bytes.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::IsError;
using test::Npy;
using ::testing::ElementsAre;

class WithoutLabels : public testing::Test {
 protected:
  static void ExpectNoLabels(const ExampleTable& table) {
    EXPECT_EQ(table.schema.label_kind(), LabelKind::kNone);
    EXPECT_TRUE(table.classes.empty());
    EXPECT_TRUE(table.targets.empty());
    EXPECT_EQ(table.schema.LabelBytes(), 0);
    const auto schema = SchemaFromJson(SchemaToJson(table.schema), "schema");
    DL_ASSERT_OK(schema);
    EXPECT_EQ(*schema, table.schema);
  }
  test::TempFolder folder_;
};

TEST_F(WithoutLabels, EveryColumnOfATableIsAFeature) {
  job::CsvSource source = data::Csv(folder_.Write("t.csv", "x,kind,y\n1,red,5\n2,blue,6\n"));
  source.WithoutLabels().FindCategorical();
  const auto table = ReadSource(source);
  DL_ASSERT_OK(table);
  ExpectNoLabels(*table);
  EXPECT_THAT(table->f32, ElementsAre(1, 0, 1, 5, 2, 1, 0, 6));
  const auto one = ReadSource(data::Csv(folder_.Write("1.csv", "x\n1\n2\n")).WithoutLabels());
  DL_ASSERT_OK(one);
  EXPECT_THAT(one->f32, ElementsAre(1, 2));
  const auto test = ReadSource(source, {.training = &table->schema});
  DL_EXPECT_OK(test);
  // A test set that declares labels.
  source.label_type = job::LabelType::kClass;
  source.categorical_columns = {};
  EXPECT_THAT(
      ReadSource(source, {.training = &table->schema}).status(),
      IsError(absl::StatusCode::kInvalidArgument, "the labels of the training split are none"));
}

TEST_F(WithoutLabels, RowsBecomeSequences) {
  const auto table = ReadSource(data::Csv(folder_.Write("s.csv", "id,x\na,1\na,2\nb,3\n"))
                                    .WithoutLabels()
                                    .Sequences(job::SequenceRows(2).By("id")));
  DL_ASSERT_OK(table);
  ExpectNoLabels(*table);
  EXPECT_THAT(table->f32, ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(table->lengths, ElementsAre(2, 1));
}

TEST_F(WithoutLabels, ArraysOfNumPy) {
  const std::string array = Npy("|u1", "(2, 2)", "abcd");
  const auto npy = ReadSource(data::Npy(folder_.Write("x.npy", array)).WithoutLabels());
  DL_ASSERT_OK(npy);
  ExpectNoLabels(*npy);
  const auto npz =
      ReadSource(data::Npz(folder_.Write("x.npz", test::Zip({{"x.npy", array}}))).WithoutLabels());
  DL_ASSERT_OK(npz);
  ExpectNoLabels(*npz);
  EXPECT_EQ(npz->u8, npy->u8);
}

TEST_F(WithoutLabels, IdxWithoutAFileOfThem) {
  const std::string images(
      "\0\0\x08\x02\0\0\0\x02\0\0\0\x01"
      "ab",
      14);
  const std::string labels("\0\0\x08\x01\0\0\0\x02\0\1", 10);
  job::IdxSource source = data::Idx(folder_.Write("x", images)).WithoutLabels();
  const auto table = ReadSource(source);
  DL_ASSERT_OK(table);
  ExpectNoLabels(*table);
  EXPECT_THAT(table->u8, ElementsAre('a', 'b'));
  const auto training = ReadSource(data::Idx(folder_ / "x", folder_.Write("y", labels)));
  DL_ASSERT_OK(training);
  const auto predicted =
      ReadSource(source, {.training = &training->schema, .labels = LabelColumns::kNone});
  DL_ASSERT_OK(predicted);
  EXPECT_EQ(predicted->schema, training->schema);
  EXPECT_THAT(ReadSource(source, {.training = &training->schema}).status(),
              IsError(absl::StatusCode::kInvalidArgument, "its labels are none, the training"));
}

TEST_F(WithoutLabels, ImagesAreInFolderItself) {
  std::filesystem::create_directories(folder_ / "images");
  folder_.Write("images/a.png", test::Png(test::Pixels{1, 1, 1, {7}}));
  job::ImageFolderSource source = data::ImageFolder(folder_ / "images", 1, 1);
  const auto table = ReadSource(source.Grey().WithoutLabels());
  DL_ASSERT_OK(table);
  ExpectNoLabels(*table);
  EXPECT_THAT(table->u8, ElementsAre(7));
  // Reads data for prediction with LabelColumns::kNone.
  ReadOptions options;
  options.training = &table->schema;
  options.labels = LabelColumns::kNone;
  source.label_type = job::LabelType::kClass;
  const auto predicted = ReadSource(source, options);
  DL_ASSERT_OK(predicted);
  EXPECT_EQ(predicted->schema, table->schema);
}

TEST_F(WithoutLabels, BlockHasNoLabels) {
  const Schema schema{.feature_shape = {2}, .labels = NoLabels{}};
  const std::vector<uint64_t> ids = {3, 4};
  const std::vector<float> values = {1, 2, 3, 4};
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    const auto bytes = EncodeBlock(
        schema, {.ids = ids, .features = std::as_bytes(std::span(values))}, compression);
    DL_ASSERT_OK(bytes);
    const auto block = Block::Decode(std::make_shared<const Bytes>(*bytes), schema);
    DL_ASSERT_OK(block);
    EXPECT_THAT((*block)->features_f32(), ElementsAre(1, 2, 3, 4));
    Schema others = schema;
    others.labels = TargetLabels{.size = 1};
    EXPECT_FALSE(Block::Decode(std::make_shared<const Bytes>(*bytes), others).ok());
  }
}

TEST_F(WithoutLabels, SchemaWithKeysOfLabelsIsRefused) {
  const Json json = SchemaToJson({.feature_shape = {2}, .labels = NoLabels{}});
  DL_EXPECT_OK(SchemaFromJson(json, ""));
  for (const char* key : {"classes", "target_size", "labels_per_example"}) {
    Json wrong = json;
    wrong[key] = 2;
    EXPECT_FALSE(SchemaFromJson(wrong, "").ok()) << key;
  }
}

}  // namespace
}  // namespace dl::dataset
