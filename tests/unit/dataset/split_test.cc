// Tests one file that is both training set and test set.
#include "dataset/split.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "dataset/block_cutting.h"
#include "dataset/readers/source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/dataset_fixtures.h"
#include "tests/unit/dataset/packed_bytes.h"

namespace dl::dataset {
namespace {

using test::IsError;

constexpr auto kNoSplit = absl::StatusCode::kInvalidArgument;

int64_t Count(const StatusOr<std::vector<Part>>& parts) {
  EXPECT_TRUE(parts.ok()) << parts.status();
  return parts.ok() ? std::count(parts->begin(), parts->end(), Part::kTest) : -1;
}

// Returns a letter for each example: T for the test set, t for the training set, - for neither.
std::string PictureOf(const StatusOr<std::vector<Part>>& parts) {
  EXPECT_TRUE(parts.ok()) << parts.status();
  std::string picture;
  for (const Part part : parts.value_or(std::vector<Part>()))
    picture += part == Part::kTest ? 'T' : part == Part::kTraining ? 't' : '-';
  return picture;
}

TEST(PartsOf, HasRequestedFraction) {
  EXPECT_EQ(Count(PartsOf({.test_fraction = 0.2}, {.examples = 100})), 20);
  EXPECT_EQ(Count(PartsOf({.test_fraction = 0.25}, {.examples = 10})), 3);
  EXPECT_EQ(Count(PartsOf({.test_fraction = 0.001}, {.examples = 10})), 1) << "at least one";
  EXPECT_EQ(Count(PartsOf({.test_fraction = 0.999}, {.examples = 10})), 9) << "not all";
  EXPECT_THAT(PartsOf({}, {.examples = 1}).status(), IsError(kNoSplit, "nothing for the test set"));
  EXPECT_THAT(PartsOf({}, {.examples = 0}).status(), IsError(kNoSplit, "nothing for the test set"));
}

// The split is not stored in any document, but the same spec must always give the same test set.
// The expected value was computed with other code.
TEST(PartsOf, WhichOnesNeverChanges) {
  EXPECT_EQ(PictureOf(PartsOf({.test_fraction = 0.3, .seed = 7}, {.examples = 12})),
            "ttttTtTTttTt");
}

TEST(PartsOf, DependsOnlyOnSeed) {
  const auto of = [](uint64_t seed) { return PartsOf({.seed = seed}, {.examples = 1000}).value(); };
  EXPECT_EQ(of(1), of(1));
  EXPECT_NE(of(1), of(2));
  // The test set is spread over the whole file.
  const auto test = of(3);
  EXPECT_NEAR(static_cast<double>(std::count(test.begin(), test.begin() + 500, Part::kTest)), 100,
              30);
}

TEST(PartsOf, ClassByClass) {
  std::vector<int32_t> classes;
  for (int i = 0; i < 200; ++i) classes.push_back(i < 180 ? 0 : i < 199 ? 1 : 2);
  const auto test =
      PartsOf({.test_fraction = 0.1, .stratified = true}, {.examples = 200, .classes = classes});
  DL_ASSERT_OK(test);
  EXPECT_EQ(std::count(test->begin(), test->begin() + 180, Part::kTest), 18);
  EXPECT_EQ(std::count(test->begin() + 180, test->end() - 1, Part::kTest), 2);
  EXPECT_EQ(test->back(), Part::kTraining) << "a class of one example stays";
  const std::vector<int32_t> two{0, 1};
  EXPECT_THAT(PartsOf({.stratified = true}, {.examples = 2, .classes = two}).status(),
              IsError(kNoSplit, "class by class, leaves nothing"));
  EXPECT_THAT(PartsOf({.stratified = true}, {.examples = 2}).status(),
              IsError(kNoSplit, "needs a class for each example"));
}

TEST(PartsOf, LastExamplesAreTestSetWithoutOverlap) {
  using enum job::SplitTake;
  EXPECT_EQ(PictureOf(PartsOf({.test_fraction = 0.3, .take = kLast}, {.examples = 10})),
            "tttttttTTT");
  EXPECT_EQ(
      PictureOf(PartsOf({.test_fraction = 0.3, .take = kLast}, {.examples = 10, .overlap = 2})),
      "ttttt--TTT");
  EXPECT_EQ(PictureOf(PartsOf({.test_fraction = 0.001, .take = kLast}, {.examples = 3})), "ttT");
  EXPECT_THAT(PartsOf({.take = kLast}, {.examples = 3, .overlap = 2}).status(),
              IsError(kNoSplit, "nothing is left to train on"));
}

class SplitSource : public testing::Test {
 protected:
  static SplitPart PartOf(Part part, bool stratified = false) {
    return {.split = {.test_fraction = 0.3, .seed = 5, .stratified = stratified}, .part = part};
  }
  // Returns the features of the first column.
  static std::multiset<float> FirstValues(const ExampleTable& table) {
    std::multiset<float> values;
    const int64_t width = table.schema.FeatureSize();
    for (int64_t i = 0; i < table.examples; ++i) values.insert(table.f32[i * width]);
    return values;
  }
  test::TempFolder folder_;
};

// Each row has a number of its own and a word. Some words occur once.
std::string Rows(int count) {
  std::string text = "n,word,k\n";
  for (int i = 0; i < count; ++i)
    absl::StrAppend(&text, i, ",", i % 10 == 0 ? absl::StrCat("rare", i) : "often", ",",
                    i % 3 == 0   ? "07"
                    : i % 3 == 1 ? "7"
                                 : "8",
                    "\n");
  return text;
}

TEST_F(SplitSource, BothPartsAreTheFile) {
  const auto source = data::Csv(folder_.Write("t.csv", Rows(200))).FindCategorical();
  for (const bool stratified : {false, true}) {
    const auto train = ReadSource(source, {.part = PartOf(Part::kTraining, stratified)});
    DL_ASSERT_OK(train);
    const auto test =
        ReadSource(source, {.training = &train->schema, .part = PartOf(Part::kTest, stratified)});
    DL_ASSERT_OK(test);
    EXPECT_EQ(train->examples + test->examples, 200);
    EXPECT_EQ(test->examples, 60);
    std::multiset<float> all = FirstValues(*train);
    all.merge(FirstValues(*test));
    std::multiset<float> expected;
    for (int i = 0; i < 200; ++i) expected.insert(static_cast<float>(i));
    EXPECT_EQ(all, expected);
    if (stratified) {
      EXPECT_EQ(std::count(test->classes.begin(), test->classes.end(), 0), 40)
          << "07 and 7 are one";
    }
  }
}

TEST_F(SplitSource, ClassesWithoutTestExampleAreNamed) {
  std::string text = "a,y\n1,B\n2,C\n";
  for (int i = 0; i < 58; ++i) absl::StrAppend(&text, i % 7, ",A\n");
  const auto source = data::Csv(folder_.Write("t.csv", text));
  const auto train = ReadSource(source, {.part = PartOf(Part::kTraining, true)});
  DL_ASSERT_OK(train);
  EXPECT_THAT(train->warnings, testing::IsEmpty());
  const auto test =
      ReadSource(source, {.training = &train->schema, .part = PartOf(Part::kTest, true)});
  DL_ASSERT_OK(test);
  EXPECT_THAT(test->warnings,
              testing::ElementsAre("the test set has no example of 2 classes: B, C. Its accuracy "
                                   "says nothing about them"));
}

TEST_F(SplitSource, OnlyTheTrainingPartIsFitted) {
  const auto source = data::Csv(folder_.Write("t.csv", Rows(200)))
                          .FindCategorical()
                          .OnMissing(job::MissingNumber::kMean, {});
  const auto train = ReadSource(source, {.part = PartOf(Part::kTraining)});
  DL_ASSERT_OK(train);
  double sum = 0;
  std::set<std::string> rare = {"often"};
  for (const float value : FirstValues(*train)) {
    sum += value;
    if (static_cast<int>(value) % 10 == 0) rare.insert(absl::StrCat("rare", value));
  }
  const FeatureColumn &number = train->schema.columns()[0], &word = train->schema.columns()[1];
  EXPECT_EQ(number.fill_number, sum / static_cast<double>(train->examples));
  EXPECT_EQ((std::set<std::string>(word.categories.begin(), word.categories.end())), rare);
  EXPECT_LT(rare.size(), 21u) << "the test part has some of them";
}

// A class that only the test part has is also a class of the training part.
TEST_F(SplitSource, BothPartsHaveTheClassesOfTheFile) {
  std::string text = "a,k\n";
  for (int i = 0; i < 50; ++i) absl::StrAppend(&text, i, ",c", i, "\n");
  const auto source = data::Csv(folder_.Write("t.csv", text));
  const auto train = ReadSource(source, {.part = PartOf(Part::kTraining)});
  DL_ASSERT_OK(train);
  EXPECT_EQ(train->schema.classes(), 50);
  const auto test = ReadSource(source, {.training = &train->schema, .part = PartOf(Part::kTest)});
  DL_ASSERT_OK(test);
  EXPECT_EQ(test->schema, train->schema);
}

// The examples are the same for each format and memory limit.
TEST_F(SplitSource, EveryFormatHasTheSameParts) {
  std::string csv, libsvm, bytes, labels;
  for (int i = 0; i < 100; ++i) {
    absl::StrAppend(&csv, i + 1, ",", i % 4, "\n");
    absl::StrAppend(&libsvm, i % 4, " 1:", i + 1, "\n");
    bytes.push_back(static_cast<char>(i + 1));
    labels.push_back(static_cast<char>(i % 4));
  }
  const std::vector<job::DatasetSpec> sources = {
      data::Csv(folder_.Write("t.csv", csv)).NoHeader(),
      data::Libsvm(folder_.Write("t.svm", libsvm)).FeatureCount(1),
      data::Idx(folder_.Write("x", test::Idx(8, {100, 1}, bytes)),
                folder_.Write("y", test::Idx(8, {100}, labels)))};
  for (const bool stratified : {false, true}) {
    std::vector<float> expected;
    for (const job::DatasetSpec& source : sources) {
      for (const int64_t memory : {int64_t{2}, INT64_MAX}) {
        const auto table = ReadSource(
            source, {.memory = {.bytes = memory}, .part = PartOf(Part::kTest, stratified)});
        DL_ASSERT_OK(table);
        std::vector<float> values;
        DL_ASSERT_OK(VisitFeatures(*table, [&](std::span<const std::byte> rows) {
          if (table->schema.feature_type() == FeatureType::kU8) {
            for (const std::byte value : rows) values.push_back(static_cast<float>(value));
          } else {
            const auto* floats = reinterpret_cast<const float*>(rows.data());
            values.insert(values.end(), floats, floats + rows.size() / sizeof(float));
          }
          return absl::OkStatus();
        }));
        if (expected.empty()) expected = values;
        EXPECT_EQ(values, expected) << job::FormatOf(source) << " " << memory;
        EXPECT_EQ(values.size(), stratified ? 32u : 30u) << "8 of each 25";
      }
    }
  }
}

TEST_F(SplitSource, PartsAreNotTakenForOneAnother) {
  const auto source = data::Csv(folder_.Write("t.csv", Rows(20)));
  const auto print = [&](const ReadOptions& reading) {
    return SourceFingerprint(source, {}, reading).value();
  };
  SplitPart other = PartOf(Part::kTraining);
  other.split.seed = 6;
  const std::set<std::string> prints = {print({}), print({.part = PartOf(Part::kTraining)}),
                                        print({.part = PartOf(Part::kTest)}),
                                        print({.part = other})};
  EXPECT_EQ(prints.size(), 4u);
}

// Windows of 4 tokens that begin every 2 tokens. One window shares tokens with the test set.
TEST_F(SplitSource, EndOfTextIsTestSet) {
  const auto source = data::Text(folder_.Write("t.txt", "abcdefghijklmnopqrstu"), 4).Stride(2);
  SplitPart part{.split = {.test_fraction = 0.25, .take = job::SplitTake::kLast},
                 .part = Part::kTraining};
  const auto train = ReadSource(source, {.part = part});
  DL_ASSERT_OK(train);
  part.part = Part::kTest;
  const auto test = ReadSource(source, {.training = &train->schema, .part = part});
  DL_ASSERT_OK(test);
  EXPECT_EQ(train->examples, 6);
  EXPECT_EQ(test->examples, 2);
  EXPECT_EQ(train->u8.back(), 13) << "the token before the first of the test set";
  EXPECT_EQ(test->u8.front(), 14);
}

TEST_F(SplitSource, NumbersAreNotStratified) {
  const auto source = data::Csv(folder_.Write("t.csv", "a,y\n1,2\n3,4\n5,6\n")).LabelsAreNumbers();
  EXPECT_THAT(ReadSource(source, {.part = PartOf(Part::kTraining, true)}).status(),
              IsError(kNoSplit, "needs a class for each example"));
  DL_EXPECT_OK(ReadSource(source, {.part = PartOf(Part::kTraining)}));
}

}  // namespace
}  // namespace dl::dataset
