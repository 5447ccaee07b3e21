// The job programs that users start from are trained, not only printed.
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"

namespace dl::test {
namespace {

// One epoch; the same bits on threads and on processes, and others from another seed.
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

// The test images in place of the training images, of which there are six times as many.
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
  RandomStream random({.seed = 3, .purpose = RandomPurpose::kTest});
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

}  // namespace
}  // namespace dl::test
