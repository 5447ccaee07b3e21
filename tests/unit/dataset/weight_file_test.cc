// Tests weights of examples in files of their own.
#include <filesystem>

#include "absl/strings/str_cat.h"
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

using test::Gzip;
using test::Idx;
using test::IsError;
using test::Npy;
using test::Pixels;
using test::Png;
using test::Raw;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kRefused = absl::StatusCode::kInvalidArgument;

class WeightFiles : public testing::Test {
 protected:
  job::LibsvmSource Rows(const std::string& weights, const std::string& name = "w.txt") {
    return data::Libsvm(folder_.Write("a.svm", "0 1:5\n1 1:6\n0 1:7\n"))
        .Weights(folder_.Write(name, weights));
  }
  std::string ErrorOf(const job::DatasetSpec& source) {
    const Status status = ReadSource(source, {}).status();
    EXPECT_FALSE(status.ok());
    EXPECT_NE(ErrorRemedy(status), "");
    return absl::StrCat(std::string(status.message()), " at ", ErrorWhere(status));
  }
  test::TempFolder folder_;
};

TEST_F(WeightFiles, LinesAndArraysGiveTheSameWeights) {
  const std::string array = Npy("<f8", "(3,)", Raw(std::vector<double>{1, 0, 5}));
  for (const auto& [name, weights] :
       {std::pair<std::string, std::string>{"w.txt", "1\n0\n\n 5.0 \n"},
        {"w.gz", Gzip("1\r\n0\r\n5")},
        {"w.npy", array},
        {"w.npy.gz", Gzip(array)}}) {
    const auto table = ReadSource(Rows(weights, name), {});
    DL_ASSERT_OK(table);
    EXPECT_THAT(table->weights, ElementsAre(0.5f, 0, 2.5f)) << name;
    ASSERT_TRUE(table->schema.weights) << name;
    EXPECT_EQ(table->schema.weights->mean, 2) << name;
  }
}

TEST_F(WeightFiles, WrongWeightsNameTheirLine) {
  EXPECT_THAT(ErrorOf(Rows("1\n-2\n3\n")),
              AllOf(HasSubstr("the weight is -2, which is below 0"), HasSubstr("w.txt:2")));
  EXPECT_THAT(ErrorOf(Rows("1\nmuch\n3\n")), AllOf(HasSubstr("much"), HasSubstr("w.txt:2")));
  EXPECT_THAT(ErrorOf(Rows("1\n2\n")), HasSubstr("has 2 weights for 3 examples"));
  EXPECT_THAT(ErrorOf(Rows("1\n2\n3\n4\n")), HasSubstr("has 4 weights for 3 examples"));
  EXPECT_THAT(ErrorOf(Rows("0\n0\n0\n")), HasSubstr("all weights are 0"));
  const auto of = [&](const char* shape, std::vector<double> values) {
    return ErrorOf(Rows(Npy("<f8", shape, Raw(values)), "w.npy"));
  };
  EXPECT_THAT(of("(3,)", {1, -1, 2}), HasSubstr("weight 1 is -1, not a finite number"));
  EXPECT_THAT(of("(2,)", {1, 1}), HasSubstr("has 2 weights for 3 examples"));
  EXPECT_THAT(of("(3, 2)", {1, 1, 1, 1, 1, 1}), HasSubstr("has 2 numbers for each example"));
}

TEST_F(WeightFiles, EachFileOfExamplesHasItsOwn) {
  auto source = data::Libsvm({folder_.Write("a.svm", "0 1:5\n"), folder_.Write("b.svm", "1 1:6\n")})
                    .Weights({folder_.Write("a.txt", "1\n"), folder_.Write("b.txt", "3\n")});
  const auto table = ReadSource(source, {});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->weights, ElementsAre(0.5f, 1.5f));
  EXPECT_THAT(ErrorOf(source.Weights(folder_ / "a.txt")), HasSubstr("weights"));
}

TEST_F(WeightFiles, ImagesOfIdxAndCifarHaveThem) {
  const std::string weights = folder_.Write("w.txt", "1\n3\n");
  const auto idx = ReadSource(data::Idx(folder_.Write("x", Idx(8, {2, 1, 1}, "ab")),
                                        folder_.Write("y", Idx(8, {2}, std::string{0, 1})))
                                  .Weights(weights),
                              {});
  DL_ASSERT_OK(idx);
  EXPECT_THAT(idx->weights, ElementsAre(0.5f, 1.5f));
  const std::string pixels(3072, 'p');
  const std::string ten = folder_.Write("10.bin", '\0' + pixels + '\1' + pixels);
  const auto cifar = ReadSource(data::Cifar10({ten}).Weights(weights), {});
  DL_ASSERT_OK(cifar);
  EXPECT_THAT(cifar->weights, ElementsAre(0.5f, 1.5f));
  const std::string two(2, '\0');
  const std::string hundred = folder_.Write("100.bin", two + pixels + two + pixels);
  const auto fine = ReadSource(data::Cifar100({hundred}).Weights(weights), {});
  DL_ASSERT_OK(fine);
  EXPECT_THAT(fine->weights, ElementsAre(0.5f, 1.5f));
}

TEST_F(WeightFiles, TestSetIsDividedByTheMeanOfTheTrainingSet) {
  const auto train = ReadSource(Rows("1\n2\n3\n"), {});
  DL_ASSERT_OK(train);
  const auto test = ReadSource(Rows("4\n6\n2\n", "v.txt"), {.training = &train->schema});
  DL_ASSERT_OK(test);
  EXPECT_THAT(test->weights, ElementsAre(2, 3, 1));
  const auto without = ReadSource(data::Libsvm(folder_ / "a.svm"), {.training = &train->schema});
  DL_ASSERT_OK(without);
  EXPECT_THAT(without->warnings, ElementsAre(HasSubstr("the examples have no weights")));
}

TEST_F(WeightFiles, ChangedWeightsAreAnotherSource) {
  const auto before = SourceFingerprint(Rows("1\n2\n3\n"), {}, {});
  DL_ASSERT_OK(before);
  const auto after = SourceFingerprint(Rows("1\n2\n3.5\n"), {}, {});
  DL_ASSERT_OK(after);
  EXPECT_NE(*before, *after);
}

class WeightsOfImages : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a/1.png", "a/2.png", "b/1.png"}) {
      const std::string path = absl::StrCat("set/", name);
      std::filesystem::create_directories(std::filesystem::path(folder_ / path).parent_path());
      folder_.Write(path, Png(Pixels{1, 1, 1, {7}}));
    }
  }
  job::ImageFolderSource With(const std::string& table) {
    return data::ImageFolder(folder_ / "set", 1, 1).Grey().Weights(folder_.Write("w.csv", table));
  }
  test::TempFolder folder_;
};

TEST_F(WeightsOfImages, TableNamesThemInAnyOrder) {
  for (const char* header : {"", "file,weight\n"}) {
    const auto table =
        ReadSource(With(absl::StrCat(header, "b/1.png,5\n./a/2.png,0\na/1.png,1\n")), {});
    DL_ASSERT_OK(table);
    EXPECT_THAT(table->weights, ElementsAre(0.5f, 0, 2.5f));
  }
}

TEST_F(WeightsOfImages, WrongTablesAreErrors) {
  const auto error = [&](const std::string& table) {
    const Status status = ReadSource(With(table), {}).status();
    EXPECT_NE(ErrorRemedy(status), "") << table;
    return absl::StrCat(std::string(status.message()), " at ", ErrorWhere(status));
  };
  const std::string two = "a/1.png,1\na/2.png,1\n";
  EXPECT_THAT(error(two), HasSubstr("has no weight for the image \"b/1.png\""));
  EXPECT_THAT(error(two + "b/1.png,1\nb/2.png,1\n"),
              HasSubstr("names 1 image that the folder does not have, such as \"b/2.png\""));
  EXPECT_THAT(error(two + "a/1.png,2\n"), HasSubstr("the image \"a/1.png\" occurs twice"));
  EXPECT_THAT(error(two + "b/1.png,-1\n"), AllOf(HasSubstr("below 0"), HasSubstr("w.csv:3")));
  EXPECT_THAT(error(two + "b/1.png\n"), HasSubstr("the row has 1 field, and a table of weights"));
  EXPECT_THAT(error("a/1.png,0\na/2.png,0\nb/1.png,0\n"), HasSubstr("all weights are 0"));
}

TEST_F(WeightsOfImages, PredictionsReadNone) {
  const auto train = ReadSource(With("a/1.png,1\na/2.png,1\nb/1.png,1\n"), {});
  DL_ASSERT_OK(train);
  auto source = data::ImageFolder(folder_ / "set/a", 1, 1).Grey().Weights(folder_ / "none.csv");
  const auto table =
      ReadSource(source, {.training = &train->schema, .labels = LabelColumns::kNone});
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->weights, IsEmpty());
}

TEST_F(WeightsOfImages, ChangedWeightsAreAnotherSource) {
  const auto before = SourceFingerprint(With("a/1.png,1\n"), {}, {});
  DL_ASSERT_OK(before);
  const auto after = SourceFingerprint(With("a/1.png,1.5\n"), {}, {});
  DL_ASSERT_OK(after);
  EXPECT_NE(*before, *after);
}

class WeightsOfSequences : public testing::Test {
 protected:
  StatusOr<ExampleTable> Read(const std::string& text, job::SequenceRows rows) {
    return ReadSource(data::Csv(folder_.Write("t.csv", text))
                          .LabelColumn("y")
                          .WeightColumn("w")
                          .LabelsAreNumbers()
                          .Sequences(std::move(rows)),
                      {});
  }
  test::TempFolder folder_;
};

TEST_F(WeightsOfSequences, SequenceHasTheWeightOfItsRows) {
  for (const job::LabelOf label : {job::LabelOf::kSequence, job::LabelOf::kStep}) {
    job::SequenceRows rows = job::SequenceRows(3).By("s");
    rows.label_of = label;
    const auto table = Read("s,a,w,y\n1,5,1,8\n1,6,1,8\n2,7,3,9\n", rows);
    DL_ASSERT_OK(table);
    EXPECT_THAT(table->weights, ElementsAre(0.5f, 1.5f));
    EXPECT_THAT(
        Read("s,a,w,y\n1,5,1,8\n1,6,2,8\n2,7,3,9\n", rows).status(),
        IsError(kRefused, "row 3, column 3 (\"w\"): the weight differs from that of the row"));
  }
}

TEST_F(WeightsOfSequences, WindowHasTheWeightOfTheRowOfItsLabel) {
  const auto table = Read("a,w,y\n5,9,1\n6,9,2\n7,1,3\n8,3,4\n", job::SequenceRows().Windows(2));
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->targets, ElementsAre(3, 4));
  EXPECT_THAT(table->weights, ElementsAre(0.5f, 1.5f));
  EXPECT_THAT(Read("a,w,y\n5,9,1\n6,9,2\n7,0,3\n8,0,4\n", job::SequenceRows().Windows(2)).status(),
              IsError(kRefused, "all weights are 0"));
}

TEST_F(WeightsOfSequences, LabelsOfAWindowsStepsHaveOneWeight) {
  job::SequenceRows rows = job::SequenceRows().Windows(2).Horizon(0);
  rows.label_of = job::LabelOf::kStep;
  const auto table = Read("a,w,y\n5,2,1\n6,2,2\n7,2,3\n", rows);
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->weights, ElementsAre(1, 1));
  EXPECT_THAT(
      Read("a,w,y\n5,2,1\n6,2,2\n7,3,3\n", rows).status(),
      IsError(kRefused, "rows 2 to 3 are the labels of one window and have different weights"));
}

TEST_F(WeightsOfSequences, CutWindowsOfASplitHaveTheirOwn) {
  std::string text = "a,w,y\n";
  for (int i = 1; i <= 20; ++i) absl::StrAppend(&text, i, ",", i, ",", i, "\n");
  auto source = data::Csv(folder_.Write("t.csv", text))
                    .LabelColumn("y")
                    .WeightColumn("w")
                    .LabelsAreNumbers()
                    .Sequences(job::SequenceRows().Windows(3));
  SplitPart part{.split = {.test_fraction = 0.25, .take = job::SplitTake::kLast},
                 .part = Part::kTraining};
  const auto train = ReadSource(source, {.part = part});
  DL_ASSERT_OK(train);
  part.part = Part::kTest;
  const auto test = ReadSource(source, {.training = &train->schema, .part = part});
  DL_ASSERT_OK(test);
  for (const auto* table : {&*train, &*test}) {
    ASSERT_EQ(std::ssize(table->weights), table->examples);
    ASSERT_GT(table->examples, 0);
    for (int64_t i = 0; i < table->examples; ++i)
      EXPECT_NEAR(table->weights[i], table->targets[i] / train->schema.weights->mean, 1e-6);
  }
}

}  // namespace
}  // namespace dl::dataset
