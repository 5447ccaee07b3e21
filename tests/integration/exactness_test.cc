// Every example of an epoch is trained exactly once, end to end. At the end of each epoch, the
// round log of a real job has the sum of the hashes of all its examples. If a reader drops an
// example and repeats another one, the job fails.
#include <map>

#include "base/checksum.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/support/generated_data.h"

namespace dl::test {
namespace {

using testing::HasSubstr;

constexpr int64_t kEpochsOfGrid = 3;

struct Sizes {
  std::string name;
  int64_t examples, workers, batch, frequency;
};

// Recomputes the sum of docs/formats.md without the product's code: XXH3-64 of the id's eight
// bytes, summed modulo 2^64.
std::string SumOfExampleHashes(int64_t examples) {
  uint64_t sum = 0;
  for (int64_t id = 0; id < examples; ++id) sum += Xxh3(std::as_bytes(std::span(&id, 1)));
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(sum));
  return text;
}

class ExactnessTest : public testing::TestWithParam<Sizes> {
 protected:
  std::string Job(const Sizes& sizes) {
    const ImageSet train = WriteImages(
        folder_ / "train", {.examples = sizes.examples, .extent = 6, .classes = 2, .seed = 4});
    auto spec = job::Job("exact")
                    .Seed(5)
                    .Model(nn::Sequential("exact")
                               .Updater(nn::Sgd(0.05))
                               .WeightInit(nn::Xavier())
                               .Input(nn::Image(1, 6, 6))
                               .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy())))
                    .Training(ParameterAveraging()
                                  .Workers(sizes.workers)
                                  .BatchSizePerWorker(sizes.batch)
                                  .AveragingFrequency(sizes.frequency)
                                  .Epochs(kEpochsOfGrid))
                    .Train(data::Idx(train.features, train.labels))
                    .Build();
    EXPECT_TRUE(spec.ok()) << spec.status();
    return WriteJob(folder_, "job", *spec);
  }
  Finished Run(const std::string& job) {
    return DlSubmit({"run", "--master", "local[2]", "--data-dir", data_, "--json", job});
  }
  std::vector<Json> Commits() {
    const Finished log = DlSubmit({"inspect", "--data-dir", data_, "--log", "exact-1"});
    EXPECT_EQ(log.exit_code, 0) << log.errors;
    std::vector<Json> commits;
    for (const Json& record : log.lines) {
      if (record.value("type", "") == "commit") commits.push_back(record);
    }
    return commits;
  }

  TempFolder folder_;
  const std::string data_ = folder_ / "data";
};

TEST_P(ExactnessTest, RoundLogCountsEachExampleOnce) {
  const Sizes& sizes = GetParam();
  const Finished finished = Run(Job(sizes));
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(finished.result().value("examples", int64_t{0}), kEpochsOfGrid * sizes.examples);

  // Counts by hand: M ranges whose sizes differ by at most one, read in minibatches of b, H per
  // round.
  const int64_t longest = (sizes.examples + sizes.workers - 1) / sizes.workers;
  const int64_t in_round = sizes.batch * sizes.frequency;
  const int64_t rounds = (longest + in_round - 1) / in_round;
  const std::vector<Json> commits = Commits();
  ASSERT_EQ(static_cast<int64_t>(commits.size()), kEpochsOfGrid * rounds);
  std::map<int64_t, int64_t> of_worker;
  for (int64_t i = 0; i < static_cast<int64_t>(commits.size()); ++i) {
    const Json& commit = commits[i];
    EXPECT_EQ(commit.value("round", int64_t{0}), i + 1);
    for (const Json& unit : commit.at("units"))
      of_worker[unit.value("worker", int64_t{-1})] += unit.value("examples", int64_t{0});
    const bool ends_epoch = (i + 1) % rounds == 0;
    EXPECT_EQ(commit.value("epoch_hash_sum", "") == SumOfExampleHashes(sizes.examples), ends_epoch)
        << commit.dump();
  }
  int64_t trained = 0;
  for (const auto& [worker, examples] : of_worker) {
    EXPECT_GE(examples, kEpochsOfGrid * (sizes.examples / sizes.workers)) << "worker " << worker;
    EXPECT_LE(examples, kEpochsOfGrid * longest) << "worker " << worker;
    trained += examples;
  }
  EXPECT_EQ(trained, kEpochsOfGrid * sizes.examples);
}

TEST_P(ExactnessTest, DroppedOrRepeatedExampleFailsJob) {
  const Sizes& sizes = GetParam();
  const std::string job = Job(sizes);
  // Affects every minibatch, so that a unit that is computed twice gives the same result both
  // times.
  const ScopedFailPoints armed("reader.drop_and_repeat=error@1+");
  const Finished finished = Run(job);
  EXPECT_EQ(finished.exit_code, kFailed) << finished.text << finished.errors;
  const Json& result = finished.result();
  EXPECT_EQ(result.value("state", ""), "FAILED");
  EXPECT_EQ(result.value("reason", ""), "example_sum") << result.dump();
  const Json error = result.value("error", Json::object());
  EXPECT_THAT(error.value("message", ""), HasSubstr("did not train every example exactly once"));
  EXPECT_EQ(error.value("where", ""), "exact-1");
  EXPECT_NE(error.value("remedy", ""), "");
  // The round at whose end the error shows is not committed. No checkpoint contains its result.
  EXPECT_LT(result.value("epochs", int64_t{-1}), kEpochsOfGrid);
  for (const Json& commit : Commits())
    EXPECT_NE(commit.value("epoch_hash_sum", ""), SumOfExampleHashes(sizes.examples));
}

INSTANTIATE_TEST_SUITE_P(Sizes, ExactnessTest,
                         testing::Values(Sizes{"ThousandOverThree", 1000, 3, 16, 5},
                                         Sizes{"SevenOverFour", 7, 4, 2, 1},
                                         Sizes{"ALastBatchOfOne", 33, 2, 8, 1}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace dl::test
