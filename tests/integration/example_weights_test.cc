// Jobs on tables whose examples have weights.
#include "absl/strings/str_cat.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"

namespace dl::test {
namespace {

constexpr int64_t kTrainRows = 151, kTestRows = 40;

enum class Weights { kNone, kEqual, kDiffer, kSomeZero };

std::string WeightAt(Weights weights, int64_t row) {
  switch (weights) {
    case Weights::kNone:
      break;
    case Weights::kEqual:
      return "0.3,";
    case Weights::kDiffer:
      return absl::StrCat(0.25 * static_cast<double>(row % 7), ",");
    case Weights::kSomeZero:
      return row < kTestRows / 2 ? "1," : "0,";
  }
  return "";
}

// The class is whether 2 a > b.
std::string Rows(int64_t count, uint64_t seed, Weights weights) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  std::string rows = weights == Weights::kNone ? "a,b,kind\n" : "w,a,b,kind\n";
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t a = random.Bounded(100), b = random.Bounded(100);
    absl::StrAppend(&rows, WeightAt(weights, i), a, ",", b, ",", 2 * a > b ? "yes" : "no", "\n");
  }
  return rows;
}

std::string JobOn(const TempFolder& folder, Weights weights) {
  const auto table = [&](const std::string& name, int64_t count, uint64_t seed) {
    auto source = data::Csv(folder.Write(name, Rows(count, seed, weights))).LabelColumn("kind");
    if (weights != Weights::kNone) source.WeightColumn("w");
    return source;
  };
  auto spec =
      job::Job("weighted")
          .Model(nn::Sequential("weighted")
                     .Seed(7)
                     .Updater(nn::Adam(0.02))
                     .Input(nn::FeedForward(2))
                     .Layer(nn::Dense(8).Activation(nn::Relu()))
                     .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy())))
          .Training(
              ParameterAveraging().Workers(3).BatchSizePerWorker(8).AveragingFrequency(3).Epochs(2))
          .Train(table("train.csv", kTrainRows, 1))
          .Test(table("test.csv", kTestRows, 2))
          .Normalizer(job::NormalizerChoice::kStandardize)
          .Build();
  EXPECT_TRUE(spec.ok()) << DescribeError(spec.status());
  // A figure of the confusion matrix, by weights where there are some.
  spec->training.early_stopping = job::EarlyStoppingConf{.metric = "macro_f1", .patience = 9};
  return WriteJob(folder, "job", *spec);
}

TEST(ExampleWeights, ClusterLeavesResultUnchanged) {
  const TempFolder folder;
  const std::string job = JobOn(folder, Weights::kDiffer);
  const Json one = RunJob("local[1]", job);
  ASSERT_EQ(one.value("state", ""), "SUCCEEDED") << one;
  for (const char* master : {"local[3]", "local-cluster[2]"}) {
    const Json other = RunJob(master, job);
    EXPECT_EQ(other.value("state_sha256", ""), one.value("state_sha256", "-")) << master;
    EXPECT_EQ(other.at("metrics"), one.at("metrics")) << master;
  }
}

TEST(ExampleWeights, OnlyUnequalWeightsChangeResult) {
  const TempFolder without, equal, differ;
  const Json plain = RunJob("local[2]", JobOn(without, Weights::kNone));
  const Json same = RunJob("local[2]", JobOn(equal, Weights::kEqual));
  const Json other = RunJob("local[2]", JobOn(differ, Weights::kDiffer));
  ASSERT_EQ(plain.value("state_sha256", "").size(), 64u) << plain;
  EXPECT_EQ(same.value("state_sha256", ""), plain.value("state_sha256", "-"));
  EXPECT_EQ(same.at("metrics"), plain.at("metrics"));
  EXPECT_NE(other.value("state_sha256", ""), plain.value("state_sha256", "-"));
}

// The mean weight of the training set is 20 / 151, so each of the first rows has the weight 151 /
// 20.
TEST(ExampleWeights, EvaluationsWeighLossesAndFigures) {
  const TempFolder folder;
  const std::string job = JobOn(folder, Weights::kSomeZero), data = folder / "data";
  const Finished run = DlSubmit({"run", job, "--master", "local[2]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const auto evaluate = [&](const std::string& text) {
    const Finished evaluated = DlSubmit({"evaluate", "weighted-1", "--data-dir", data, "--data",
                                         folder.Write("e.csv", text), "--json"});
    EXPECT_EQ(evaluated.exit_code, 0) << evaluated.errors;
    return evaluated.result();
  };
  const Json weighted = evaluate(Rows(kTestRows, 2, Weights::kSomeZero));
  const Json all = evaluate(Rows(kTestRows, 2, Weights::kNone));
  const Json first = evaluate(Rows(kTestRows / 2, 2, Weights::kNone));
  EXPECT_NE(first.at("accuracy"), all.at("accuracy")) << "the test shows nothing";
  for (const char* figure : {"accuracy", "macro_f1", "kappa", "mcc", "roc_auc", "log_loss"})
    EXPECT_NEAR(weighted.at(figure).get<double>(), first.at(figure).get<double>(), 1e-6) << figure;
  EXPECT_EQ(weighted.at("examples"), kTestRows);
  const double mean = 20.0 / 151;
  EXPECT_NEAR(weighted.at("loss").get<double>(), first.at("loss").get<double>() / 2 / mean, 1e-5);
  for (const char* figure : {"loss", "accuracy"})
    EXPECT_EQ(weighted.at(figure), run.result().at("metrics").at("test").at(figure)) << figure;
  for (const Weights weights : {Weights::kNone, Weights::kDiffer}) {
    const Finished predicted =
        DlSubmit({"predict", "weighted-1", "--data-dir", data, "--data",
                  folder.Write("p.csv", Rows(9, 3, weights)), "-o", folder / "out.csv", "--json"});
    EXPECT_EQ(predicted.exit_code, 0) << predicted.errors;
  }
}

// Has the same examples as a table with a column of weights, and as libsvm with a file of weights.
struct TwoForms {
  std::string csv, svm, weights;
};
TwoForms WriteBoth(const TempFolder& folder, const std::string& name, int64_t rows, uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  std::string csv = "w,a,b,kind\n", svm, weights;
  for (int64_t i = 0; i < rows; ++i) {
    const uint64_t a = random.Bounded(100), b = random.Bounded(100);
    const int kind = 2 * a > b ? 1 : 0;
    const double weight = 0.25 * static_cast<double>(i % 7);
    absl::StrAppend(&csv, weight, ",", a, ".5,", b, ".5,", kind, "\n");
    absl::StrAppend(&svm, kind, " 1:", a, ".5 2:", b, ".5\n");
    absl::StrAppend(&weights, weight, "\n");
  }
  return {.csv = folder.Write(name + ".csv", csv),
          .svm = folder.Write(name + ".svm", svm),
          .weights = folder.Write(name + ".txt", weights)};
}

TEST(ExampleWeights, FileOfWeightsGivesResultsOfColumn) {
  const TempFolder folder;
  const TwoForms train = WriteBoth(folder, "train", 120, 1),
                 test = WriteBoth(folder, "test", 50, 2);
  const std::string data = folder / "data";
  const auto run = [&](std::vector<std::string> flags) {
    std::vector<std::string> words{"run",      "mlp",        "--epochs", "2",     "--master",
                                   "local[2]", "--data-dir", data,       "--json"};
    words.insert(words.end(), flags.begin(), flags.end());
    const Finished finished = DlSubmit(words);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return finished.result();
  };
  const Json column = run({"--train", train.csv, "--test", test.csv, "--example-weights", "w"});
  const Json file = run({"--train", train.svm, "--test", test.svm, "--example-weights",
                         train.weights, "--test-example-weights", test.weights});
  const Json without = run({"--train", train.svm, "--test", test.svm});
  ASSERT_EQ(column.value("state_sha256", "").size(), 64u) << column;
  EXPECT_EQ(file.value("state_sha256", ""), column.value("state_sha256", "-"));
  EXPECT_EQ(file.at("metrics"), column.at("metrics"));
  EXPECT_NE(without.value("state_sha256", ""), column.value("state_sha256", "-"));

  const auto evaluate = [&](const std::string& job, std::vector<std::string> flags) {
    std::vector<std::string> words{"evaluate", job, "--data-dir", data, "--json", "--data"};
    words.insert(words.end(), flags.begin(), flags.end());
    return DlSubmit(words);
  };
  const Finished of_column = evaluate("mlp-1", {test.csv});
  const Finished of_file = evaluate("mlp-2", {test.svm, "--example-weights", test.weights});
  ASSERT_EQ(of_column.exit_code, 0) << of_column.errors;
  ASSERT_EQ(of_file.exit_code, 0) << of_file.errors;
  for (const char* figure : {"loss", "accuracy", "macro_f1", "roc_auc"})
    EXPECT_EQ(of_file.result().at(figure), of_column.result().at(figure)) << figure;
  const Finished wrong = evaluate("mlp-1", {test.csv, "--example-weights", "w"});
  EXPECT_EQ(wrong.exit_code, kUsage);
  EXPECT_NE(wrong.errors.find("is a table, which has its weights in a column"), std::string::npos)
      << wrong.errors;
}

TEST(ExampleWeights, FlagNamesColumnOfBareTable) {
  const TempFolder folder;
  const std::string train = folder.Write("t.csv", Rows(60, 1, Weights::kDiffer));
  const Finished dry = DlSubmit({"run", "mlp", "--train", train, "--test",
                                 folder.Write("s.csv", Rows(20, 2, Weights::kDiffer)),
                                 "--example-weights", "w", "--dry-run"});
  ASSERT_EQ(dry.exit_code, 0) << dry.errors;
  const Json document = Json::parse(dry.text);
  for (const char* split : {"train", "test"})
    EXPECT_EQ(document["data"][split]["weight_column"], "w");
  const Finished imported =
      DlSubmit({"import", train, "--example-weights", "w", "--data-dir", folder / "data"});
  EXPECT_EQ(imported.exit_code, 0) << imported.errors;
  EXPECT_NE(imported.errors.find("weights"), std::string::npos) << imported.errors;
}

}  // namespace
}  // namespace dl::test
