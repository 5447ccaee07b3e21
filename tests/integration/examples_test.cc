// Trains the example job programs, instead of only printing their specs.
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"

namespace dl::test {
namespace {

// Trains one epoch. Threads and processes must give the same bits, and another seed other bits.
void ExpectReproducible(const std::string& program, int64_t examples,
                        std::vector<std::string> words) {
  words.insert(words.end(), {"--epochs", "1"});
  const Json threads = RunJob("local[2]", program, words);
  EXPECT_EQ(threads.value("state", ""), "SUCCEEDED");
  EXPECT_EQ(threads.value("examples", int64_t{0}), examples);
  const std::string expected = threads.value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u) << threads;
  EXPECT_EQ(RunJob("local-cluster[2]", program, words).value("state_sha256", ""), expected);
  words.insert(words.end(), {"--seed", "4711"});
  const std::string other = RunJob("local[2]", program, words).value("state_sha256", "");
  EXPECT_EQ(other.size(), 64u);
  EXPECT_NE(other, expected);
}

// Trains on the test images, because there are six times as many training images.
class FashionMnist : public testing::TestWithParam<const char*> {};

TEST_P(FashionMnist, TrainsReproducibly) {
  const std::string split = "/usr/share/datasets/fashion-mnist/t10k";
  const std::string features = split + "-images-idx3-ubyte.gz";
  ASSERT_TRUE(std::filesystem::exists(features)) << "needs the package dataset-fashion-mnist";
  ExpectReproducible(GetParam(), 10'000,
                     {"--set", "data.train.features=" + features, "--set",
                      "data.train.labels=" + split + "-labels-idx1-ubyte.gz"});
}

INSTANTIATE_TEST_SUITE_P(Programs, FashionMnist,
                         testing::Values("lenet_fashion_mnist", "cnn_batchnorm_fashion_mnist",
                                         "my_job"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Examples, MlpCsvTrainsReproducibly) {
  const TempFolder folder;
  RandomStream random({.seed = 3, .purpose = RandomPurpose::kForTests});
  std::string rows = "a,b,c,d,species\n";
  constexpr int64_t kRows = 150;
  for (int64_t i = 0; i < kRows; ++i) {
    const int64_t species = static_cast<int64_t>(random.Bounded(3));
    for (int64_t column = 0; column < 4; ++column)
      absl::StrAppend(&rows, 0.1 * (10.0 * (species == column) + random.Bounded(10)), ",");
    absl::StrAppend(&rows, std::vector{"setosa", "versicolor", "virginica"}[species], "\n");
  }
  ExpectReproducible("mlp_csv", kRows,
                     {"--set", "data.train.path=" + folder.Write("iris.csv", rows), "--set",
                      "data.train.label_column=species"});
}

// Expects an error before anything is read. Its message contains the number of files that are
// named.
void ExpectRefusesFiles(const std::string& program, size_t count) {
  std::vector<std::string> words = {"run", program, "--json", "--dry-run", "--"};
  for (size_t i = 0; i < count; ++i) words.push_back(absl::StrCat("table", i, ".csv"));
  const Finished finished = DlSubmit(words);
  EXPECT_EQ(finished.exit_code, kInvalidConfig) << finished.errors;
  const Json error = finished.result().value("error", Json::object());
  EXPECT_THAT(error.value("message", ""), testing::HasSubstr(absl::StrCat(count, " are named")));
}

// Returns rows in the format of Adult, with missing values. The occupation alone determines the
// income class.
std::string AdultRows(RandomStream& random, int64_t count, const std::string& label_end,
                      const std::string& country) {
  std::string rows =
      "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,"
      "sex,capital-gain,capital-loss,hours-per-week,native-country,income\n";
  const auto any = [&random](const std::vector<std::string>& words) {
    return words[random.Bounded(words.size())];
  };
  for (int64_t i = 0; i < count; ++i) {
    const std::string occupation =
        any({"?", "Adm-clerical", "Exec-managerial", "Prof-specialty", "Sales"});
    const bool more = occupation == "Exec-managerial" || occupation == "Prof-specialty";
    const std::vector<std::string> fields = {absl::StrCat(17 + random.Bounded(60)),
                                             any({"?", "Private", "State-gov"}),
                                             absl::StrCat(random.Bounded(1'000'000)),
                                             any({"10th", "Bachelors"}),
                                             absl::StrCat(1 + random.Bounded(16)),
                                             any({"Divorced", "Never-married"}),
                                             occupation,
                                             any({"Husband", "Wife"}),
                                             any({"Black", "White"}),
                                             any({"Female", "Male"}),
                                             absl::StrCat(random.Bounded(5'000)),
                                             absl::StrCat(random.Bounded(1'000)),
                                             absl::StrCat(1 + random.Bounded(80)),
                                             any({country, "United-States"}),
                                             absl::StrCat(more ? ">50K" : "<=50K", label_end)};
    absl::StrAppend(&rows, absl::StrJoin(fields, ", "), "\n");
  }
  return rows;
}

TEST(Examples, AdultEmbeddingsLearnOccupations) {
  const TempFolder folder;
  RandomStream random({.seed = 5, .purpose = RandomPurpose::kForTests});
  const std::string train = folder.Write("train.csv", AdultRows(random, 2'000, "", "Canada"));
  // The test set has a country that the training set lacks.
  const std::string test = folder.Write("test.csv", AdultRows(random, 500, ".", "Narnia"));
  const Json result = RunJob("local[1]", "adult_embeddings", {"--", train, test});
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED");
  EXPECT_EQ(result.value("examples", int64_t{0}), 8 * 2'000);
  const Json measured = result.value("metrics", Json::object()).value("test", Json::object());
  EXPECT_GT(measured.value("accuracy", 0.0), 0.9) << result;  // the more frequent class alone gives
                                                              // 0.6
  for (const size_t count : {0, 1, 3}) ExpectRefusesFiles("adult_embeddings", count);
}

// Half of the quality score depends on each input. A model that uses only one input has an error of
// half the variance.
TEST(Examples, RegressionLearnsFromBothInputs) {
  const TempFolder folder;
  RandomStream random({.seed = 6, .purpose = RandomPurpose::kForTests});
  std::string rows =
      "fixed acidity;volatile acidity;citric acid;residual sugar;chlorides;free sulfur dioxide;"
      "total sulfur dioxide;density;pH;sulphates;alcohol;quality\n";
  constexpr int64_t kRows = 1'000;
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < kRows; ++i) {
    std::vector<double> values;
    for (int64_t column = 0; column < 11; ++column) values.push_back(0.01 * random.Bounded(100));
    const double quality = 5 + 3 * values[1] - 3 * values[10];
    sum += quality;
    squares += quality * quality;
    absl::StrAppend(&rows, absl::StrJoin(values, ";"), ";", quality, "\n");
  }
  const double mean = sum / kRows, variance = squares / kRows - mean * mean;
  const Json result =
      RunJob("local[1]", "two_inputs_regression", {"--", folder.Write("wine.csv", rows)});
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED");
  const Json measured = result.value("metrics", Json::object()).value("test", Json::object());
  EXPECT_LT(measured.value("loss", variance), 0.2 * variance) << result;
  for (const size_t count : {0, 2}) ExpectRefusesFiles("two_inputs_regression", count);
}

}  // namespace
}  // namespace dl::test
