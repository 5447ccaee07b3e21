// Tests windows over the rows of a time series.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "dataset/readers/table/csv_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::dataset {
namespace {

using job::SequenceRows;
using test::IsError;
using testing::ElementsAre;
using Values = std::vector<float>;

constexpr auto kNoWindows = absl::StatusCode::kInvalidArgument;

class CsvWindows : public testing::Test {
 protected:
  StatusOr<ExampleTable> Read(const std::string& text, job::CsvSource source,
                              const ReadOptions& options = {}) {
    source.path = folder_.Write("t.csv", text);
    return ReadCsv(source, options);
  }
  static job::CsvSource Numbers(SequenceRows rows) {
    return job::CsvSource().LabelsAreNumbers().Sequences(std::move(rows));
  }
  test::TempFolder folder_;
};

// 1 to 6 in one column, which is both feature and label.
const char* const kSeries = "load\n1\n2\n3\n4\n5\n6\n";

TEST_F(CsvWindows, LabelIsNextValue) {
  const auto table = Read(kSeries, Numbers(SequenceRows().Windows(3)));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->examples, 3);
  EXPECT_THAT(table->schema.feature_shape, ElementsAre(3, 1));
  EXPECT_FALSE(table->schema.variable_length);
  EXPECT_EQ(table->f32, (Values{1, 2, 3, 2, 3, 4, 3, 4, 5}));
  EXPECT_EQ(table->targets, (Values{4, 5, 6}));
}

TEST_F(CsvWindows, StrideBeyondTheRowsIsReported) {
  const auto warnings = [&](int64_t stride) {
    return Read(kSeries, Numbers(SequenceRows().Windows(2).Stride(stride)))->warnings;
  };
  EXPECT_THAT(warnings(100), ElementsAre(testing::HasSubstr("each sequence gives one window")));
  EXPECT_THAT(warnings(3), ElementsAre());
}

TEST_F(CsvWindows, StrideAndHorizonMoveTheWindowAndItsLabel) {
  const auto table = Read(kSeries, Numbers(SequenceRows().Windows(2).Stride(2).Horizon(2)));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->f32, (Values{1, 2, 3, 4}));
  EXPECT_EQ(table->targets, (Values{4, 6}));
  const auto here =
      Read("x,load\n1,10\n2,20\n3,30\n", Numbers(SequenceRows().Windows(2).Horizon(0)));
  DL_ASSERT_OK(here);
  EXPECT_EQ(here->f32, (Values{1, 2, 2, 3})) << "the label stands in the window";
  EXPECT_EQ(here->targets, (Values{20, 30}));
}

TEST_F(CsvWindows, TimesThatGoBackOrHaveGapsAreWarnedOf) {
  const auto warnings = [&](const std::vector<int>& hours) {
    std::string text = "t,load\n";
    for (const int hour : hours)
      absl::StrAppend(&text, "2020-01-0", 1 + hour / 24, " ", hour % 24, ":00,", hour, "\n");
    const auto table = Read(text, Numbers(SequenceRows().Windows(2)).Dates({"t"}));
    EXPECT_TRUE(table.ok()) << table.status();
    return table.ok() ? table->warnings : std::vector<std::string>();
  };
  EXPECT_THAT(warnings({1, 2, 3, 4, 5, 6, 7, 8}), testing::IsEmpty());
  EXPECT_THAT(
      warnings({1, 2, 3, 4, 8, 7, 6, 5}),
      ElementsAre(testing::HasSubstr("\"t\": 3 of 7 rows are earlier than the row before")));
  EXPECT_THAT(warnings({1, 2, 3, 4, 25, 26, 27, 28}),
              ElementsAre(testing::HasSubstr(
                  "\"t\": 1 of 7 rows follow the row before them after more than the usual 1 h")));
  EXPECT_THAT(
      warnings({1, 2, 3, 3, 4, 5, 6, 7}),
      ElementsAre(testing::HasSubstr("\"t\": 1 of 7 rows have the time of the row before them")));
  EXPECT_THAT(warnings({1, 1, 1, 1, 2, 2, 2, 2}), testing::IsEmpty()) << "times of days";
  // Each sequence has times of its own.
  const auto table =
      Read("g,t,load\na,2020-01-05,1\na,2020-01-06,2\nb,2020-01-01,3\nb,2020-01-02,4\n",
           Numbers(SequenceRows().By("g").Windows(1)).Dates({"t"}));
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->warnings, testing::IsEmpty());
}

TEST_F(CsvWindows, LabelMayBeClass) {
  const auto table =
      Read("x,state\n1,a\n2,b\n3,a\n4,b\n", job::CsvSource().Sequences(SequenceRows().Windows(2)));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->f32, (Values{1, 2, 2, 3})) << "words are no features";
  EXPECT_THAT(table->classes, ElementsAre(0, 1));
  const auto steps = Read("x,state\n1,a\n2,b\n3,a\n4,b\n",
                          job::CsvSource().Sequences(SequenceRows().Windows(2).LabelsOfSteps()));
  DL_ASSERT_OK(steps);
  EXPECT_EQ(steps->schema.labels_per_example(), 2);
  EXPECT_THAT(steps->classes, ElementsAre(1, 0, 0, 1));
}

TEST_F(CsvWindows, NoWindowReachesIntoAnotherSequence) {
  const auto table = Read("city,load\na,1\na,2\na,3\nb,10\nb,20\nc,100\nc,200\nc,300\n",
                          Numbers(SequenceRows().By("city").Windows(2)));
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->f32, (Values{1, 2, 100, 200}));
  EXPECT_EQ(table->targets, (Values{3, 300}));
  EXPECT_THAT(Read(kSeries, Numbers(SequenceRows().Windows(6))).status(),
              IsError(kNoWindows, "no sequence has the 7 rows that a window with its label needs"));
}

TEST_F(CsvWindows, MemoryIsNotInTheResult) {
  std::string text = "x,load\n";
  for (int i = 0; i < 500; ++i) absl::StrAppend(&text, i, ",", i * 2, "\n");
  const auto source = Numbers(SequenceRows().Windows(24).Stride(3));
  const auto all = Read(text, source);
  DL_ASSERT_OK(all);
  EXPECT_EQ(all->examples, 159);
  const auto spilled = Read(text, source, {.memory = {.bytes = 1000, .folder = folder_.path()}});
  DL_ASSERT_OK(spilled);
  ASSERT_NE(spilled->spilled, nullptr);
  Values values;
  DL_ASSERT_OK(VisitFeatures(*spilled, [&](std::span<const std::byte> rows) {
    const auto* floats = reinterpret_cast<const float*>(rows.data());
    values.insert(values.end(), floats, floats + rows.size() / sizeof(float));
    return absl::OkStatus();
  }));
  EXPECT_EQ(values, all->f32);
  EXPECT_EQ(spilled->targets, all->targets);
}

// The last windows are the test set. No row is in windows of both sets.
TEST_F(CsvWindows, EndOfSeriesIsTestSet) {
  std::string text = "load\n";
  for (int i = 0; i < 20; ++i) absl::StrAppend(&text, i, "\n");
  const auto source = Numbers(SequenceRows().Windows(3));
  SplitPart part{.split = {.test_fraction = 0.3, .take = job::SplitTake::kLast},
                 .part = Part::kTraining};
  const auto train = Read(text, source, {.part = part});
  DL_ASSERT_OK(train);
  part.part = Part::kTest;
  const auto test = Read(text, source, {.training = &train->schema, .part = part});
  DL_ASSERT_OK(test);
  EXPECT_EQ(test->examples, 5) << "of 17 windows";
  EXPECT_EQ(test->f32.front(), 12);
  EXPECT_EQ(test->targets.back(), 19);
  EXPECT_EQ(train->targets.back(), 11) << "before the first row of the test set";
  part.split.take = job::SplitTake::kRandom;
  EXPECT_THAT(Read(text, source, {.part = part}).status(),
              IsError(kNoWindows,
                      "windows that are drawn at random for the test set would overlap windows of "
                      "the training set"));
}

TEST_F(CsvWindows, WithoutLabelsTheLastRowsAreAWindowToo) {
  const auto source = Numbers(SequenceRows().Windows(3));
  const auto train = Read(kSeries, source);
  DL_ASSERT_OK(train);
  const auto table =
      Read(kSeries, source, {.training = &train->schema, .labels = LabelColumns::kNone});
  DL_ASSERT_OK(table);
  EXPECT_EQ(table->examples, 4);
  EXPECT_EQ(table->f32.back(), 6) << "its label is not known yet";
}

}  // namespace
}  // namespace dl::dataset
