// Tests sequences in NumPy arrays: variable lengths, labels of steps, labels that are sequences.
#include <limits>

#include "base/json.h"
#include "dataset/block_cutting.h"
#include "dataset/readers/source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/dataset_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/dataset_fixtures.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::IsError;
using test::Npy;
using test::Raw;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kDamaged = absl::StatusCode::kDataLoss;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

class NpySequences : public testing::Test {
 protected:
  // Returns a source of two examples with three steps of one value, as bytes.
  job::NpySource Source(const std::string& labels, const std::string& lengths = "") {
    job::NpySource source = data::Npy(folder_.Write("x.npy", Npy("|u1", "(2, 3, 1)", "abcdef")),
                                      folder_.Write("y.npy", labels));
    if (!lengths.empty()) source.Lengths(folder_.Write("n.npy", lengths));
    return source;
  }
  StatusOr<ExampleTable> Read(const std::string& labels, const std::string& lengths = "") {
    return ReadSource(Source(labels, lengths));
  }
  StatusOr<ExampleTable> ReadSequences(const std::string& labels, const ReadOptions& options = {}) {
    return ReadSource(Source(labels).LabelsAreSequences(), options);
  }
  test::TempFolder folder_;
};

const std::string kOneEach = Npy("|u1", "(2,)", {1, 0});

TEST_F(NpySequences, LengthsOfTheirOwn) {
  const auto table = Read(kOneEach, Npy("<i8", "(2,)", Raw(std::vector<int64_t>{3, 1})));
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.feature_shape, ElementsAre(3, 1));
  EXPECT_TRUE(table->schema.variable_length);
  EXPECT_EQ(table->schema.labels_per_example(), 1);
  EXPECT_THAT(table->lengths, ElementsAre(3, 1));
  EXPECT_THAT(table->u8, ElementsAre('a', 'b', 'c', 'd', 0, 0)) << "what is behind a length is 0";
  MemoryBlocks blocks;
  DL_EXPECT_OK(CutBlocks(*table, {}, blocks));
}

TEST_F(NpySequences, StepsAfterLengthMayBeNan) {
  const std::vector<float> values{1, 2, 3, 4, kNaN, kNaN, 5, 6, kNaN, kNaN, kNaN, kNaN};
  job::NpySource source = data::Npy(folder_.Write("x.npy", Npy("<f4", "(2, 3, 2)", Raw(values))),
                                    folder_.Write("y.npy", kOneEach));
  source.Lengths(folder_.Write("n.npy", Npy("|u1", "(2,)", {2, 1})));
  const auto table = ReadSource(source);
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->f32, ElementsAre(1, 2, 3, 4, 0, 0, 5, 6, 0, 0, 0, 0));
  source.Lengths(folder_.Write("n.npy", Npy("|u1", "(2,)", {3, 1})));
  EXPECT_THAT(ReadSource(source).status(), IsError(kDamaged, "value 4 is out of range"));
}

TEST_F(NpySequences, WrongLengthsAreNamed) {
  for (const double wrong : {0.0, 4.0, 1.5, -1.0}) {
    EXPECT_THAT(Read(kOneEach, Npy("<f8", "(2,)", Raw(std::vector<double>{3, wrong}))).status(),
                IsError(kDamaged, "not a whole number of steps from 1"))
        << wrong;
  }
  EXPECT_THAT(Read(kOneEach, Npy("|u1", "(3,)", {1, 1, 1})).status(),
              IsError(kDamaged, "has the shape 3 for 2 examples"));
  EXPECT_THAT(Read(kOneEach, Npy("|u1", "(2, 1)", {1, 1})).status(),
              IsError(kDamaged, "has the shape 2x1"));
  job::NpySource rows = Source(kOneEach, Npy("|u1", "(2,)", {1, 1}));
  rows.features = folder_.Write("rows.npy", Npy("|u1", "(2, 3)", "abcdef"));
  EXPECT_THAT(ReadSource(rows).status(),
              IsError(kDamaged, "has 2 dimensions, and lengths are of sequences"));
  job::NpySource two = Source(kOneEach, Npy("|u1", "(2,)", {1, 1}));
  two.lengths = job::Files({folder_ / "n.npy", folder_.Write("m.npy", kOneEach)});
  EXPECT_THAT(ReadSource(two).status(),
              IsError(absl::StatusCode::kInvalidArgument, "2 files of lengths, but 1 file of"));
}

TEST_F(NpySequences, StepsMayHaveLabels) {
  const std::string labels = Npy("|u1", "(2, 3)", {0, 1, 2, 1, 9, 9});
  const auto table = Read(labels, Npy("|u1", "(2,)", {3, 1}));
  DL_ASSERT_OK(table);
  EXPECT_TRUE(table->schema.JudgesSteps());
  EXPECT_EQ(table->schema.classes(), 3) << "what is behind a length is none";
  EXPECT_THAT(table->classes, ElementsAre(0, 1, 2, 1, kNoLabel, kNoLabel));
  const auto whole = Read(labels);
  DL_ASSERT_OK(whole);
  EXPECT_TRUE(whole->schema.JudgesSteps());
  EXPECT_THAT(whole->schema.feature_shape, ElementsAre(3, 1));
  EXPECT_FALSE(whole->schema.variable_length);
  EXPECT_EQ(whole->schema.classes(), 10);
  EXPECT_THAT(Read(Npy("|u1", "(2, 2)", {0, 1, 2, 1})).status(),
              IsError(kDamaged, "has the shape 2x2, classes have one dimension"));
}

TEST_F(NpySequences, StepsMayHaveNumbers) {
  const std::string numbers = Npy("|u1", "(2, 3, 2)", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const auto table = ReadSource(Source(numbers, Npy("|u1", "(2,)", {3, 1})).LabelsAreNumbers());
  DL_ASSERT_OK(table);
  EXPECT_TRUE(table->schema.JudgesSteps());
  EXPECT_EQ(table->schema.target_size(), 2);
  EXPECT_THAT(table->targets, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0));
  const auto whole = ReadSource(Source(numbers).LabelsAreNumbers());
  DL_ASSERT_OK(whole);
  EXPECT_THAT(whole->schema.feature_shape, ElementsAre(3, 1));
  EXPECT_EQ(whole->targets.size(), 12u);
  // Two dimensions are targets of the example, not of its steps.
  const auto flat = ReadSource(Source(Npy("|u1", "(2, 3)", {1, 2, 3, 4, 5, 6})).LabelsAreNumbers());
  DL_ASSERT_OK(flat);
  EXPECT_FALSE(flat->schema.JudgesSteps());
  EXPECT_EQ(flat->schema.target_size(), 3);
  EXPECT_THAT(ReadSource(Source(Npy("|u1", "(2, 2, 1)", {1, 2, 3, 4})).LabelsAreNumbers()).status(),
              IsError(kDamaged, "has the shape 2x2x1, numbers to predict have one dimension"));
}

TEST_F(NpySequences, LabelsMayBeSequences) {
  const std::string labels = Npy("|i1", "(2, 2)", {1, 1, 0, -1});
  const auto table = ReadSequences(labels);
  DL_ASSERT_OK(table);
  EXPECT_TRUE(table->schema.label_sequences());
  EXPECT_EQ(table->schema.labels_per_example(), 2);
  EXPECT_EQ(table->schema.classes(), 2);
  EXPECT_FALSE(table->schema.JudgesSteps());
  EXPECT_THAT(table->classes, ElementsAre(1, 1, 0, -1));
  const auto schema = SchemaFromJson(SchemaToJson(table->schema), "schema");
  DL_ASSERT_OK(schema);
  EXPECT_EQ(*schema, table->schema);
  MemoryBlocks blocks;
  const auto manifest = CutBlocks(*table, {}, blocks);
  DL_ASSERT_OK(manifest);
  EXPECT_THAT(manifest->class_histogram, ElementsAre(1, 2));
  DL_EXPECT_OK(ValidateManifest(*manifest));
  // As many classes as steps, and variable lengths.
  const auto as_many =
      ReadSource(Source(Npy("|i1", "(2, 3)", {1, 1, 0, -1, -1, -1}), Npy("|u1", "(2,)", {3, 1}))
                     .LabelsAreSequences());
  DL_ASSERT_OK(as_many);
  EXPECT_FALSE(as_many->schema.JudgesSteps());
  EXPECT_THAT(as_many->classes, ElementsAre(1, 1, 0, -1, -1, -1)) << "none is told at all";
  // With one dimension, each sequence has one class.
  DL_EXPECT_OK(ReadSequences(kOneEach));
}

TEST_F(NpySequences, InvalidClassSequenceIsNamed) {
  EXPECT_THAT(ReadSequences(Npy("|i1", "(2, 2)", {-1, 1, 0, -1})).status(),
              IsError(kDamaged, "value 1 is out of range"));
  EXPECT_THAT(ReadSequences(Npy("|i1", "(2, 2)", {1, -2, 0, -1})).status(),
              IsError(kDamaged, "or -1 behind the last class of an example"));
  EXPECT_THAT(ReadSequences(Npy("|i1", "(2, 2, 1)", {1, 2, 0, -1})).status(),
              IsError(kDamaged, "has 3 dimensions, sequences of classes two"));
  const auto training = ReadSequences(Npy("|i1", "(2, 2)", {1, 1, 0, -1}));
  DL_ASSERT_OK(training);
  const ReadOptions options{.training = &training->schema};
  DL_EXPECT_OK(ReadSequences(Npy("|i1", "(2, 3)", {1, 0, 1, 0, -1, -1}), options))
      << "longer ones are as good";
  EXPECT_THAT(ReadSequences(Npy("|i1", "(2, 2)", {1, 2, 0, -1}), options).status(),
              IsError(absl::StatusCode::kInvalidArgument, "label 2 of example 0 is not from 0"));
  EXPECT_THAT(ReadSource(Source(kOneEach), options).status(),
              IsError(absl::StatusCode::kInvalidArgument,
                      "with one label, the training split has sequences of one length with a "
                      "sequence of classes"));
  // A stratified split needs one class for each example.
  const SplitPart part{.split = {.test_fraction = 0.5, .stratified = true}, .part = Part::kTest};
  EXPECT_THAT(ReadSequences(Npy("|i1", "(2, 1)", {1, 0}), {.part = part}).status(),
              IsError(absl::StatusCode::kInvalidArgument, "a class for each example"));
}

// Data for prediction has no labels.
TEST_F(NpySequences, NoLabelsAreReadWhereThereAreNone) {
  job::NpySource source = Source(Npy("|i1", "(2, 2)", {1, 1, 0, -1}), Npy("|u1", "(2,)", {3, 1}));
  const auto training = ReadSource(source.LabelsAreSequences());
  DL_ASSERT_OK(training);
  const ReadOptions options{.training = &training->schema, .labels = LabelColumns::kNone};
  source.labels = job::Files("nowhere.npy");
  const auto told = ReadSource(source, options);
  DL_ASSERT_OK(told);
  EXPECT_EQ(told->schema, training->schema);
  EXPECT_THAT(told->classes, testing::Each(kNoLabel));
  const auto steps = Read(Npy("|u1", "(2, 3)", {0, 1, 2, 1, 9, 9}), Npy("|u1", "(2,)", {3, 1}));
  DL_ASSERT_OK(steps);
  const auto judged = ReadSource(source.WithoutLabels(),
                                 {.training = &steps->schema, .labels = LabelColumns::kNone});
  DL_ASSERT_OK(judged);
  EXPECT_THAT(judged->classes, ElementsAre(0, 0, 0, 0, kNoLabel, kNoLabel));
}

// Without labels for each step, only the training set says that the values are sequences.
TEST_F(NpySequences, UnlabelledArrayIsReadLikeTheTrainingSet) {
  job::NpySource source =
      data::Npy(folder_.Write("x.npy", Npy("|u1", "(2, 3, 1)", "abcdef")),
                folder_.Write("y.npy", Npy("|u1", "(2, 3)", {0, 1, 1, 1, 0, 0})));
  const auto training = ReadSource(source);
  DL_ASSERT_OK(training);
  const auto read = ReadSource(source.WithoutLabels(),
                               {.training = &training->schema, .labels = LabelColumns::kNone});
  DL_ASSERT_OK(read);
  EXPECT_EQ(read->schema, training->schema);
  EXPECT_EQ(read->u8, training->u8);
}

TEST_F(NpySequences, ArchivesHaveThemToo) {
  const std::string archive =
      folder_.Write("x.npz", test::Zip({{"sound.npy", Npy("|u1", "(2, 3, 1)", "abcdef")},
                                        {"text.npy", Npy("|i1", "(2, 2)", {1, 1, 0, -1})},
                                        {"frames.npy", Npy("|u1", "(2,)", {3, 1})}}));
  job::NpzSource source = data::Npz(archive).Arrays("sound", "text");
  const auto table = ReadSource(source.Lengths("frames").LabelsAreSequences());
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->lengths, ElementsAre(3, 1));
  EXPECT_THAT(table->classes, ElementsAre(1, 1, 0, -1));
  source.label_array = "nothing";
  DL_EXPECT_OK(ReadSource(source, {.training = &table->schema, .labels = LabelColumns::kNone}));
  source.label_array = "text";
  EXPECT_THAT(ReadSource(source.Lengths("none")).status(),
              IsError(absl::StatusCode::kInvalidArgument, "the archive has no none.npy"));
}

TEST(LabelSequences, InconsistentSchemaIsRefused) {
  Schema schema{.feature_shape = {3, 1},
                .variable_length = true,
                .labels = ClassSequences{.classes = 2, .longest = 7}};
  DL_EXPECT_OK(ValidateSchema(schema));
  EXPECT_FALSE(FirstWrongLabel(schema, {},
                               std::vector<int32_t>{0, 1, 1, -1, -1, -1, -1,  //
                                                    1, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(FirstWrongLabel(schema, {}, std::vector<int32_t>{0, -1, 1, -1, -1, -1, -1}), 2u);
  EXPECT_EQ(FirstWrongLabel(schema, {}, std::vector<int32_t>{0, 2, -1, -1, -1, -1, -1}), 1u);
  EXPECT_EQ(FirstWrongLabel(schema, {}, std::vector<int32_t>{-2, -1, -1, -1, -1, -1, -1}), 0u);
  schema.labels = ClassLabels{.classes = 2, .per_example = 7};
  EXPECT_FALSE(ValidateSchema(schema).ok()) << "neither one label nor one for each step";
  Json json = SchemaToJson({.feature_shape = {3, 1}, .labels = TargetLabels{.size = 1}});
  DL_EXPECT_OK(SchemaFromJson(json, ""));
  json["label_sequences"] = true;
  EXPECT_FALSE(SchemaFromJson(json, "").ok()) << "sequences of numbers";
}

}  // namespace
}  // namespace dl::dataset
