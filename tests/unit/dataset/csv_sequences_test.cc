// Tests tables whose rows are the steps of sequences.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/json.h"
#include "dataset/batch_reader.h"
#include "dataset/block_cutting.h"
#include "dataset/readers/source.h"
#include "dataset/readers/table/csv_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/dataset_fixtures.h"

namespace dl::dataset {
namespace {

using job::LongerSequences;
using job::SequenceRows;
using test::IsError;
using ::testing::ElementsAre;
using Floats = std::vector<float>;

constexpr auto kMistake = absl::StatusCode::kInvalidArgument;

const char* const kWalks =
    "walk,x,y,kind\n"
    "a,1,10,up\n"
    "a,2,20,up\n"
    "a,3,30,up\n"
    "b,4,40,down\n"
    "c,5,50,up\n"
    "c,6,60,up\n";

job::CsvSource By(int64_t steps) {
  return job::CsvSource().Sequences(SequenceRows(steps).By("walk"));
}

class CsvSequences : public testing::Test {
 protected:
  StatusOr<ExampleTable> Read(const std::string& text, job::CsvSource source,
                              const Schema* training = nullptr) {
    source.path = folder_.Write("t.csv", text);
    return ReadCsv(source, {.training = training, .memory = {}, .part = {}});
  }
  test::TempFolder folder_;
};

TEST_F(CsvSequences, RowWithoutSequenceIsAnError) {
  EXPECT_THAT(Read("walk,x,y,kind\na,1,10,up\n,2,20,up\n,3,30,down\n", By(4)),
              IsError(kMistake, "does not say to which sequence it belongs"));
}

TEST_F(CsvSequences, RowsOfOneTextAreOne) {
  const auto table = Read(kWalks, By(4));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->examples, 3);
  EXPECT_THAT(table->schema.feature_shape, ElementsAre(4, 2));
  EXPECT_TRUE(table->schema.variable_length);
  EXPECT_THAT(table->schema.feature_names(), ElementsAre("x", "y"));
  EXPECT_EQ(table->f32, (Floats{1, 10, 2, 20, 3, 30, 0, 0,  //
                                4, 40, 0, 0,  0, 0,  0, 0,  //
                                5, 50, 6, 60, 0, 0,  0, 0}));
  EXPECT_THAT(table->lengths, ElementsAre(3, 1, 2));
  EXPECT_THAT(table->schema.class_names(), ElementsAre("down", "up"));
  EXPECT_THAT(table->classes, ElementsAre(1, 0, 1));
  EXPECT_EQ(table->schema.labels_per_example(), 1);
}

TEST_F(CsvSequences, EachStepMayHaveALabel) {
  const auto table = Read("walk,x,kind\na,1,p\na,2,q\nb,3,q\n",
                          job::CsvSource().Sequences(SequenceRows(3).By("walk").LabelsOfSteps()));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->schema.labels_per_example(), 3);
  EXPECT_THAT(table->classes, ElementsAre(0, 1, kNoLabel, 1, kNoLabel, kNoLabel));
  // Each label counts once.
  MemoryBlocks blocks;
  const auto manifest = CutBlocks(*table, {}, blocks);
  DL_ASSERT_OK(manifest);
  EXPECT_THAT(manifest->class_histogram, ElementsAre(1, 2));
  DL_EXPECT_OK(ValidateManifest(*manifest));
}

TEST_F(CsvSequences, EachStepMayHaveNumbersToPredict) {
  const auto numbers = [](int64_t steps) {
    return job::CsvSource()
        .TargetColumns({"y", "z"})
        .Sequences(
            SequenceRows(steps).By("walk").LabelsOfSteps().Longer(LongerSequences::kKeepLast));
  };
  const std::string text = "walk,x,y,z\na,1,10,100\na,2,20,200\na,3,30,300\nb,4,40,400\n";
  const auto table = Read(text, numbers(4));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->schema.labels_per_example(), 4);
  EXPECT_EQ(table->schema.target_size(), 2);
  EXPECT_EQ(table->schema.TargetsPerExample(), 8);
  EXPECT_TRUE(table->schema.JudgesSteps());
  EXPECT_EQ(table->targets, (Floats{10, 100, 20, 200, 30, 300, 0, 0,  //
                                    40, 400, 0, 0, 0, 0, 0, 0}));
  const auto schema = SchemaFromJson(SchemaToJson(table->schema), "schema");
  DL_ASSERT_OK(schema);
  EXPECT_EQ(*schema, table->schema);
  MemoryBlocks blocks;
  DL_EXPECT_OK(CutBlocks(*table, {}, blocks));
  const auto last = Read(text, numbers(2));
  DL_ASSERT_OK(last);
  EXPECT_EQ(last->targets, (Floats{20, 200, 30, 300, 40, 400, 0, 0})) << "they go with their steps";
  // Without labels of steps, all rows of a sequence must have the same targets.
  EXPECT_THAT(
      Read(text, job::CsvSource().TargetColumns({"y", "z"}).Sequences(SequenceRows(4).By("walk"))),
      IsError(kMistake, "row 3"));
  // Data for prediction has no targets.
  const auto told = ReadCsv(
      [&] {
        job::CsvSource source = numbers(4);
        source.path = job::Files(folder_.Write("new.csv", "walk,x\nc,1\nc,2\n"));
        return source;
      }(),
      {.training = &table->schema, .labels = LabelColumns::kNone});
  DL_ASSERT_OK(told);
  EXPECT_EQ(told->targets, Floats(8));
}

TEST_F(CsvSequences, LongerOnesAreCutAsAsked) {
  const auto kept = [&](LongerSequences rule) {
    const auto table =
        Read(kWalks, job::CsvSource().Sequences(SequenceRows(2).By("walk").Longer(rule)));
    EXPECT_THAT(table, test::IsOk());
    EXPECT_THAT(table->lengths, ElementsAre(2, 1, 2));
    return Floats(table->f32.begin(), table->f32.begin() + 4);
  };
  EXPECT_EQ(kept(LongerSequences::kKeepFirst), (Floats{1, 10, 2, 20}));
  EXPECT_EQ(kept(LongerSequences::kKeepLast), (Floats{2, 20, 3, 30}));
  EXPECT_THAT(Read(kWalks, By(2)), IsError(kMistake,
                                           "row 4, column 1 (\"walk\"): the sequence has "
                                           "more than 2 steps"));
  // Labels of steps are dropped together with their steps.
  const auto labelled =
      Read("walk,x,kind\na,1,p\na,2,q\na,3,r\n",
           job::CsvSource().Sequences(
               SequenceRows(2).By("walk").LabelsOfSteps().Longer(LongerSequences::kKeepLast)));
  DL_ASSERT_OK(labelled);
  EXPECT_THAT(labelled->classes, ElementsAre(1, 2));
}

TEST_F(CsvSequences, FileIsOneSequenceWithoutColumn) {
  job::CsvSource source = job::CsvSource().Sequences(SequenceRows(3));
  source.path =
      job::Files({folder_.Write("1.csv", "x,k\n1,p\n2,p\n"), folder_.Write("2.csv", "x,k\n3,q\n")});
  const auto table = ReadCsv(source, {});
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->f32, (Floats{1, 2, 0, 3, 0, 0}));
  EXPECT_THAT(table->lengths, ElementsAre(2, 1));
  EXPECT_THAT(table->classes, ElementsAre(0, 1));
  // A sequence that a column names continues in the next file.
  source.sequences->column = job::Column("k");
  source.label_column = job::Column("x");
  source.path = job::Files({folder_.Write("3.csv", "x,k,z\n1,p,5\n1,p,6\n"),
                            folder_.Write("4.csv", "x,k,z\n1,p,7\n2,q,8\n")});
  const auto on = ReadCsv(source, {});
  DL_ASSERT_OK(on);
  EXPECT_THAT(on->lengths, ElementsAre(3, 1));
}

TEST_F(CsvSequences, EqualLengthsGiveFixedLength) {
  const auto equal = [](int64_t steps) {
    return job::CsvSource().Sequences(SequenceRows(steps).By("walk").OfEqualLength());
  };
  const auto table = Read("walk,x,k\na,1,p\na,2,p\nb,3,q\nb,4,q\n", equal(2));
  DL_ASSERT_OK(table);
  EXPECT_FALSE(table->schema.variable_length);
  EXPECT_TRUE(table->lengths.empty());
  EXPECT_EQ(table->f32, (Floats{1, 2, 3, 4}));
  EXPECT_THAT(Read(kWalks, equal(3)),
              IsError(kMistake, "sequence 2 has 1 step, fewer than the 3 of sequences.steps"));
}

TEST_F(CsvSequences, MistakesAreNamedByTheirRow) {
  EXPECT_THAT(Read("walk,x,k\na,1,p\nb,2,p\na,3,p\n", By(4)),
              IsError(kMistake, "row 4, column 1 (\"walk\"): the sequence \"a\" came before"));
  EXPECT_THAT(Read("walk,x,k\na,1,p\na,2,q\n", By(4)),
              IsError(kMistake,
                      "row 3, column 3 (\"k\"): the label is another one than in the "
                      "sequence's first row"));
  EXPECT_THAT(Read("walk,x,k\na,1,0.5\na,2,0.25\n", By(4).LabelsAreNumbers()),
              IsError(kMistake, "row 3, column 3 (\"k\"): the label is another one"));
  EXPECT_THAT(Read("walk,x,k\na,1,p\n", By(4).LabelColumn("walk")),
              IsError(kMistake, "tells the sequences apart, and label_column names it too"));
  EXPECT_THAT(Read("walk,x,k\n1,1,p\n", By(4).WeightColumn("walk")),
              IsError(kMistake, "tells the sequences apart, and weight_column names it too"));
  EXPECT_THAT(Read("walk,x,k\na,1,p\n", By(4).Categorical({"walk"})),
              IsError(kMistake, "tells the sequences apart, and categorical_columns names it too"));
  EXPECT_THAT(Read("walk,x,k\n2020-01-02,1,p\n", By(4).Dates({"walk"})),
              IsError(kMistake, "tells the sequences apart, and date_columns names it too"));
  EXPECT_THAT(Read("walk,x,k\na,1,p\n", job::CsvSource().Sequences(SequenceRows(2).By("wlk"))),
              IsError(kMistake, "did you mean \"walk\""));
}

// Categories and missing values have the same meaning as in tables without sequences.
TEST_F(CsvSequences, ColumnsMayHoldCategories) {
  const char* const text = "walk,home,x,k\na,red,1,p\na,blue,?,p\nb,red,3,q\n";
  const auto source =
      By(2).FindCategorical().OnMissing(job::MissingNumber::kMean, job::MissingCategory::kError);
  const auto table = Read(text, source);
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->schema.feature_names(), ElementsAre("home=blue", "home=red", "x"));
  EXPECT_EQ(WithoutMissing(*table), (Floats{0, 1, 1, 1, 0, 2, 0, 1, 3, 0, 0, 0}));
  DL_EXPECT_OK(ValidateTable(*table));
  // As a test split. A table whose rows are examples is refused.
  const auto test = Read("walk,home,x,k\nz,green,5,p\n", source, &table->schema);
  DL_ASSERT_OK(test);
  EXPECT_EQ(test->f32, (Floats{0, 0, 5, 0, 0, 0}));
  EXPECT_THAT(Read("home,x,k\nred,5,p\n", job::CsvSource(), &table->schema),
              IsError(kMistake, "the examples of the training split are sequences"));
  const auto steps = By(2).FindCategorical().Sequences(SequenceRows(2).By("walk").LabelsOfSteps());
  EXPECT_THAT(
      Read(text,
           job::CsvSource(steps).OnMissing(job::MissingNumber::kMean, job::MissingCategory::kError),
           &table->schema),
      IsError(kMistake, "a label for each step"));
}

// A sequence belongs completely to one part. Categories are learned from the training part alone.
TEST_F(CsvSequences, SplitKeepsWholeSequences) {
  std::string text = "walk,x,k\n";
  for (int i = 0; i < 40; ++i) {
    for (int t = 0; t <= i % 3; ++t)
      text += "w" + std::to_string(i) + "," + std::to_string(i * 10 + t) + "," +
              (i % 2 ? "p\n" : "q\n");
  }
  job::CsvSource source = By(3);
  source.path = folder_.Write("t.csv", text);
  const job::SplitConfig split{.test_fraction = 0.25, .seed = 3, .stratified = true};
  std::vector<float> firsts;
  for (const Part part : {Part::kTraining, Part::kTest}) {
    const auto table = ReadSource(source, {.part = SplitPart{.split = split, .part = part}});
    DL_ASSERT_OK(table);
    EXPECT_EQ(table->examples, part == Part::kTest ? 10 : 30);
    for (int64_t e = 0; e < table->examples; ++e) {
      const float first = table->f32[e * 3];
      firsts.push_back(first);
      const int walk = static_cast<int>(first) / 10;
      EXPECT_EQ(table->lengths[e], walk % 3 + 1);
      EXPECT_EQ(table->classes[e], walk % 2 ? 0 : 1);
    }
  }
  std::ranges::sort(firsts);
  EXPECT_EQ(firsts.size(), 40u);
  EXPECT_EQ(std::ranges::adjacent_find(firsts), firsts.end()) << "none is in both";
}

TEST_F(CsvSequences, SelectedSequenceKeepsLength) {
  const auto table = Read(kWalks, By(4));
  DL_ASSERT_OK(table);
  const job::SplitConfig split{.test_fraction = 0.34};
  int64_t examples = 0;
  for (const Part part : {Part::kTraining, Part::kTest}) {
    const auto selected = SelectPart(*table, {.part = {.split = split, .part = part}});
    DL_ASSERT_OK(selected);
    DL_ASSERT_OK(ValidateTable(*selected));
    for (int64_t e = 0; e < selected->examples; ++e, ++examples) {
      const float first = selected->f32[e * 8];
      EXPECT_EQ(selected->lengths[e], first == 1 ? 3 : first == 4 ? 1 : 2);
    }
  }
  EXPECT_EQ(examples, 3);
}

// Rows beyond the memory limit go through a file.
TEST_F(CsvSequences, MemoryIsNotInTheTable) {
  job::CsvSource source = By(3);
  source.path = folder_.Write("t.csv", kWalks);
  const auto whole = ReadCsv(source, {});
  const auto spilled = ReadCsv(source, {.memory = {.bytes = 1, .folder = folder_.path()}});
  DL_ASSERT_OK(whole);
  DL_ASSERT_OK(spilled);
  EXPECT_NE(spilled->spilled, nullptr);
  EXPECT_EQ(*ContentFingerprint(*whole), *ContentFingerprint(*spilled));
}

// Mean and deviation of each feature are computed over all existing steps.
TEST_F(CsvSequences, PaddingIsNotNormalizedBy) {
  const auto table = Read("walk,x,y,k\na,1,5,p\na,3,5,p\nb,5,8,q\n", By(4));
  DL_ASSERT_OK(table);
  const auto standard = FitNormalizer(NormalizerKind::kStandardize, *table);
  DL_ASSERT_OK(standard);
  EXPECT_THAT(standard->first, ElementsAre(3, 6));
  EXPECT_NEAR(standard->second[0], std::sqrt(8.0 / 3), 1e-12);
  EXPECT_NEAR(standard->second[1], std::sqrt(2.0), 1e-12);
  const auto range = FitNormalizer(NormalizerKind::kMinMax, *table);
  DL_ASSERT_OK(range);
  EXPECT_THAT(range->first, ElementsAre(1, 5));
  EXPECT_THAT(range->second, ElementsAre(5, 8));
  const FeatureScaler scaler(table->schema, *range);
  Floats out(8);
  scaler.Apply(std::span(table->f32).first(8), out);
  EXPECT_EQ(Floats(out.begin(), out.begin() + 4), (Floats{0, 0, 0.5f, 0}));
}

TEST_F(CsvSequences, MinibatchesBringTheLengths) {
  const auto table = Read(kWalks, By(4));
  DL_ASSERT_OK(table);
  MemoryBlocks blocks;
  const auto manifest = CutBlocks(*table, {.order = CutOrder::kSource, .block_bytes = 100}, blocks);
  DL_ASSERT_OK(manifest);
  EXPECT_GT(manifest->blocks.size(), 1u);
  const auto again = ManifestFromJson(ManifestToJson(*manifest), "m");
  DL_ASSERT_OK(again);
  EXPECT_EQ(*again, *manifest);
  const auto dataset =
      Dataset::Create(*again, std::make_shared<DecodedBlockCache>(blocks, 1 << 20));
  DL_ASSERT_OK(dataset);
  const auto reader = BatchReader::Create({.dataset = *dataset,
                                           .order = *(*dataset)->Order({.shuffle = Shuffle::kNone}),
                                           .range = {0, 3},
                                           .batch_size = 2});
  DL_ASSERT_OK(reader);
  BatchBuffer buffer;
  ASSERT_TRUE(*(*reader)->Next(buffer));
  EXPECT_THAT(buffer.batch().lengths, ElementsAre(3, 1));
  ASSERT_TRUE(*(*reader)->Next(buffer));
  EXPECT_THAT(buffer.batch().lengths, ElementsAre(2));
  EXPECT_THAT(buffer.batch().features, ElementsAre(5, 50, 6, 60, 0, 0, 0, 0));
}

// The same table with equal and with variable lengths: a feature has one mean over all steps.
TEST_F(CsvSequences, NormalizerHasOneEntryPerFeature) {
  const std::string text =
      "walk,x,y,kind\na,1,5,p\na,11,5,p\na,21,5,p\nb,2,7,q\nb,12,7,q\nb,22,7,q\n";
  const auto equal =
      Read(text, job::CsvSource().Sequences(SequenceRows(3).By("walk").OfEqualLength()));
  const auto variable = Read(text, By(3));
  DL_ASSERT_OK(equal);
  DL_ASSERT_OK(variable);
  for (const NormalizerKind kind : {NormalizerKind::kStandardize, NormalizerKind::kMinMax}) {
    const auto of_equal = FitNormalizer(kind, *equal), of_variable = FitNormalizer(kind, *variable);
    DL_ASSERT_OK(of_equal);
    DL_ASSERT_OK(of_variable);
    EXPECT_EQ(*of_equal, *of_variable);
    const bool has_means = kind == NormalizerKind::kStandardize;
    EXPECT_EQ(of_equal->first,
              has_means ? (std::vector<double>{11.5, 6}) : (std::vector<double>{1, 5}));
    std::vector<float> of_one(6), of_other(6);
    FeatureScaler(equal->schema, *of_equal)
        .Apply(std::span<const float>(equal->f32).first(6), of_one);
    FeatureScaler(variable->schema, *of_variable)
        .Apply(std::span<const float>(variable->f32).first(6), of_other);
    EXPECT_EQ(of_one, of_other);
  }
}

}  // namespace
}  // namespace dl::dataset
