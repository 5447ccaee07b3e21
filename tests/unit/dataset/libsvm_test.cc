#include "absl/strings/str_cat.h"
#include "base/philox.h"
#include "dataset/block_cutting.h"
#include "dataset/readers/table/libsvm_guess.h"
#include "dataset/readers/table/libsvm_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/dataset_spec.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::IsError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LibsvmTest : public testing::Test {
 protected:
  StatusOr<ExampleTable> Read(const std::string& text, job::LibsvmSource source = {},
                              const ReadOptions& options = {}) {
    source.path = folder_.Write("t.svm", text);
    return ReadLibsvm(source, options);
  }
  // Expects the error about a bad text, at LINE:COLUMN.
  void ExpectBad(const std::string& text, const std::string& place, const std::string& message,
                 const job::LibsvmSource& source = {}) {
    const Status status = Read(text, source).status();
    EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, message)) << text;
    EXPECT_EQ(ErrorWhere(status), folder_ / "t.svm" + place) << text;
    EXPECT_NE(ErrorRemedy(status), "") << text;
  }
  test::TempFolder folder_;
};

TEST_F(LibsvmTest, RowsBecomeDense) {
  const auto table = Read("1 1:0.5 4:-2\r\n0\n\n  # nothing\n1\t3:+1e2  2:7 # a comment\r\n0 1:1");
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->schema.feature_shape, (std::vector<int64_t>{4}));
  EXPECT_EQ(table->f32, (std::vector<float>{0.5, 0, 0, -2, 0, 0, 0, 0, 0, 7, 100, 0, 1, 0, 0, 0}));
  EXPECT_EQ(table->classes, (std::vector<int32_t>{1, 0, 1, 0}));
  EXPECT_THAT(table->schema.class_names(), ElementsAre("0", "1"));
}

TEST_F(LibsvmTest, IndexBaseZeroIsAccepted) {
  const auto table = Read("1 0:5 2:6\n2 1:7\n", job::LibsvmSource().IndicesFromZero());
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->f32, (std::vector<float>{5, 0, 6, 0, 7, 0}));
  ExpectBad("1 1:5\n2 0:5\n", ":2:3", "index 0: features are numbered from 1");
}

TEST_F(LibsvmTest, TrainingSetThatCountsFromZeroIsRemembered) {
  const auto table = Read("1 0:5 2:6\n2 1:7\n", job::LibsvmSource().IndicesFromZero());
  DL_ASSERT_OK(table);
  EXPECT_TRUE(table->schema.indices_from_zero());
  const auto stored = SchemaFromJson(SchemaToJson(table->schema), "schema");
  DL_ASSERT_OK(stored);
  EXPECT_EQ(*stored, table->schema);
  // A file without index 0 would otherwise be read with all features shifted by one.
  const ReadOptions of_training = {.training = &table->schema};
  EXPECT_THAT(Read("1 2:6\n", {}, of_training).status(),
              IsError(absl::StatusCode::kInvalidArgument, "counts features from 0"));
  const auto test = Read("1 2:6\n", job::LibsvmSource().IndicesFromZero(), of_training);
  DL_ASSERT_OK(test);
  EXPECT_EQ(test->f32, (std::vector<float>{0, 0, 6}));
}

TEST_F(LibsvmTest, LabelsAreClassesByTheirValueOrNumbers) {
  const auto classes = Read("+1 1:1\n-1 1:1\n1.0 1:1\n10 1:1\n1e0 1:1\n");
  DL_ASSERT_OK(classes);
  EXPECT_THAT(classes->schema.class_names(), ElementsAre("-1", "1", "10"));
  EXPECT_EQ(classes->classes, (std::vector<int32_t>{1, 0, 1, 2, 1}));
  const auto numbers = Read("0.25 1:1\n+3 1:1\n", job::LibsvmSource().LabelsAreNumbers());
  DL_ASSERT_OK(numbers);
  EXPECT_EQ(numbers->targets, (std::vector<float>{0.25, 3}));
  EXPECT_EQ(numbers->schema.target_size(), 1);
}

// As in a table, a note says that classes may be numbers to predict.
TEST_F(LibsvmTest, GuessTellsOfDoubtfulLabels) {
  const auto guess = [&](const std::vector<std::string>& labels) {
    std::string text;
    for (int i = 0; i < 60; ++i) absl::StrAppend(&text, labels[i % labels.size()], " 1:", i, "\n");
    return *GuessLibsvm(folder_.Write("g.svm", text));
  };
  const GuessedLibsvm fractions = guess({"12.5", "13.75", "14.25"});
  EXPECT_EQ(fractions.source.label_type, job::LabelType::kClass);
  EXPECT_THAT(fractions.label_notes, ElementsAre(HasSubstr("--regression")));
  std::vector<std::string> prices;
  for (int i = 0; i < 13; ++i) prices.push_back(absl::StrCat(i * i * 1000 + 99));
  EXPECT_THAT(guess(prices).label_notes, ElementsAre(HasSubstr("--regression")));
  EXPECT_THAT(guess({"0", "1"}).label_notes, ElementsAre());
}

TEST_F(LibsvmTest, QueriesAreLeftOut) {
  const auto table = Read("1 qid:3 1:2\n0 qid:4\n");
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(table->warnings, ElementsAre(HasSubstr("the queries of 2 examples (qid:) are left")));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->f32, (std::vector<float>{2, 0}));
  ExpectBad("1 qid:a 1:2\n", ":1:3", "\"qid:a\" is no query");
  ExpectBad("1 1:2 qid:3\n", ":1:7", "the index \"qid\" is no whole number");
}

TEST_F(LibsvmTest, TestSetHasFeaturesAndClassesOfTrainingSet) {
  const auto training = Read("1 1:1 5:1\n2 1:1\n");
  DL_ASSERT_OK(training);
  const auto test = Read("2 2:1\n", {}, {.training = &training->schema});
  DL_ASSERT_OK(test);
  EXPECT_EQ(test->schema, training->schema);
  EXPECT_EQ(test->f32, (std::vector<float>{0, 1, 0, 0, 0}));
  EXPECT_EQ(test->classes, (std::vector<int32_t>{1}));
  const Status beyond = Read("2 1:1 6:1\n", {}, {.training = &training->schema}).status();
  EXPECT_THAT(beyond, IsError(absl::StatusCode::kInvalidArgument,
                              "index 6 is beyond the features, which are 5"));
  EXPECT_EQ(ErrorWhere(beyond), folder_ / "t.svm:1:7");
  EXPECT_THAT(Read("3 1:1\n", {}, {.training = &training->schema}).status(),
              IsError(absl::StatusCode::kInvalidArgument, "no class \"3\""));
  EXPECT_THAT(
      Read("1 1:1\n", job::LibsvmSource().FeatureCount(6), {.training = &training->schema})
          .status(),
      IsError(absl::StatusCode::kInvalidArgument, "it has 6 features, the training split has 5"));
}

TEST_F(LibsvmTest, NumberOfFeaturesMayBeSet) {
  const auto wide = Read("1 1:1\n0\n", job::LibsvmSource().FeatureCount(3));
  DL_ASSERT_OK(wide);
  EXPECT_EQ(wide->f32, (std::vector<float>{1, 0, 0, 0, 0, 0}));
  ExpectBad("1 1:1 4:1\n", ":1:7", "index 4 is beyond", job::LibsvmSource().FeatureCount(3));
  EXPECT_THAT(Read("1\n0\n").status(),
              IsError(absl::StatusCode::kInvalidArgument, "no example has a feature"));
}

TEST_F(LibsvmTest, SeveralFilesAreOneSetAndTheLargestIndexOfAllCounts) {
  folder_.Write("p1", "1 1:1\n0 2:1\n");
  folder_.Write("p2", test::Zstd("1 4:2\n"));
  const auto table = ReadLibsvm(data::Libsvm(folder_ / "p?"));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->f32, (std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2}));
  folder_.Write("p3", "# no more\n");
  EXPECT_THAT(ReadLibsvm(data::Libsvm(folder_ / "p?")).status(),
              IsError(absl::StatusCode::kInvalidArgument, folder_ / "p3"));
}

TEST_F(LibsvmTest, BadLinesNameLineAndColumn) {
  ExpectBad("1 1:1\nx 1:1\n", ":2:1", "\"x\" is not a number");
  ExpectBad("1:1 2:1\n", ":1:1", "begins with \"1:1\", not with a label");
  ExpectBad("1,2 1:1\n", ":1:1", "several labels");
  ExpectBad("a,b,y\n1,2,A\n", ":1:1", "has commas and no index:value, as in CSV");
  ExpectBad("nan 1:1\n", ":1:1", "\"nan\" is not a number");
  ExpectBad("1 2\n", ":1:3", "\"2\" is no index:value");
  ExpectBad("1 a:1\n", ":1:3", "the index \"a\" is no whole number");
  ExpectBad("1 :1\n", ":1:3", "the index \"\" is no whole number");
  ExpectBad("1 1.5:1\n", ":1:3", "the index \"1.5\" is no whole number");
  ExpectBad("1 -1:1\n", ":1:3", "index -1");
  ExpectBad("1 99999999999999999999:1\n", ":1:3", "is no whole number");
  ExpectBad("1 9223372036854775807:1\n", ":1:3", "is too large, the limit is 16777216");
  ExpectBad("1 16777217:1\n", ":1:3", "is too large");
  ExpectBad("1 1:1  2:inf\n", ":1:10", "\"inf\" is infinite");
  ExpectBad("1 1:nan\n", ":1:5", "\"nan\" is not a number");
  ExpectBad("1 1:1e99\n", ":1:5", "outside the range of float32");
  ExpectBad("1 1:\n", ":1:5", "no value follows \"1:\"");
  ExpectBad("1 1:2:3\n", ":1:5", "\"2:3\" is not a number");
  ExpectBad("1 2:1 1:1 2:3\n", ":1:11", "index 2 comes twice");
  ExpectBad("1 3:1 3:1\n", ":1:7", "index 3 comes twice");
  ExpectBad("", "", "no example");
  ExpectBad("\n# x\n", "", "no example");
}

// An index determines the memory of a row, so it is checked before the memory is allocated.
TEST_F(LibsvmTest, HugeIndexIsRefused) {
  const Status status = Read("1 16777216:1\n").status();
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "one example"));
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, folder_ / "t.svm"));
}

TEST_F(LibsvmTest, EndlessLineIsReported) {
  std::string bomb;
  const std::string mebibyte = test::Zstd(std::string(1 << 20, ' '));
  for (int i = 0; i < 256; ++i) bomb += mebibyte;
  EXPECT_THAT(Read(test::Zstd("1 1:1\n0 ") + bomb).status(),
              IsError(absl::StatusCode::kInvalidArgument, "t.svm:2:1"));
}

TEST_F(LibsvmTest, CutTextIsReadOrRefused) {
  const std::string text = "1 qid:2 1:0.5 3:1e-1\n-1 2:1 # x\n1 1:1 2:2 3:3\n";
  for (size_t size = 0; size <= text.size(); ++size) {
    const auto table = Read(text.substr(0, size));
    if (table.ok()) {
      DL_EXPECT_OK(ValidateTable(*table));
    }
  }
}

TEST_F(LibsvmTest, MutatedTextNeverCrashes) {
  const std::string good = "1 1:0.5 3:1e-1\n-1 2:1 # x\n1 qid:1 1:1 2:2\n";
  RandomStream random({.seed = 6});
  for (int i = 0; i < 1000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 3; ++k)
      bad[random.Bounded(bad.size())] = ": #\n\r19eE-+.\0\xff"[random.Bounded(14)];
    const auto table = Read(bad);
    if (table.ok()) {
      DL_EXPECT_OK(ValidateTable(*table));
    }
  }
}

TEST_F(LibsvmTest, MemoryIsNotInTheResult) {
  std::string text;
  RandomStream random({.seed = 7});
  for (int i = 0; i < 2000; ++i) {
    absl::StrAppend(&text, i % 3);
    for (int k = 1; k < 60; k += 1 + static_cast<int>(random.Bounded(20)))
      absl::StrAppend(&text, " ", k, ":", static_cast<double>(random.Bounded(1000)) / 7);
    text += '\n';
  }
  const auto whole = Read(text);
  DL_ASSERT_OK(whole);
  const auto parts = Read(text, {}, {.memory = {.bytes = 1000}});
  DL_ASSERT_OK(parts);
  ASSERT_NE(parts->spilled, nullptr);
  EXPECT_EQ(*ContentFingerprint(*parts), *ContentFingerprint(*whole));
}

}  // namespace
}  // namespace dl::dataset
