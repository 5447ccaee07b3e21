#include "inference/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "nn/conf/contract_id.h"
#include "tests/unit/inference/small_checkpoint.h"

namespace dl::inference {
namespace {

constexpr int64_t kExamples = 23, kClasses = 3;

struct Wanted {
  int64_t batch = 8;
  int threads = 1;
  int64_t memory = INT64_MAX;
  nn::KernelSet kernels = nn::KernelSet::kNative;
};

LoadedCheckpoint Checkpoint(const Wanted& wanted) {
  return CheckpointWithWeights(nn::Sequential("mlp")
                                   .Input(nn::FeedForward(2))
                                   .Layer(nn::Dense(16).Activation(nn::Tanh()))
                                   .Layer(nn::Output(kClasses).Loss(nn::SoftmaxCrossEntropy())),
                               ParameterAveraging()
                                   .Workers(1)
                                   .BatchSizePerWorker(4)
                                   .Epochs(1)
                                   .ThreadsPerWorker(wanted.threads)
                                   .Kernels(wanted.kernels)
                                   .EvaluationBatchSize(wanted.batch));
}

dataset::ExampleTable Table(const Wanted& wanted) {
  dataset::ExampleTable table{
      .schema = {.feature_shape = {2}, .labels = dataset::ClassLabels{.classes = kClasses}}};
  for (int64_t i = 0; i < kExamples; ++i) {
    DL_EXPECT_OK(dataset::SpillFeatures({.bytes = wanted.memory, .folder = "/tmp"}, table));
    table.f32.push_back(static_cast<float>(i % 7));
    table.f32.push_back(static_cast<float>(i * i % 11));
    table.classes.push_back(0);
    ++table.examples;
  }
  return table;
}

// Returns the predictions of all examples, in their order.
std::vector<float> Predict(const Wanted& wanted, const dataset::Normalizer& normalizer = {}) {
  std::vector<float> all;
  const auto contract = PredictExamples(
      Checkpoint(wanted), Table(wanted),
      {.contract = "", .normalizer = &normalizer, .visit = [&](const PredictedBatch& batch) {
         EXPECT_EQ(batch.first * kClasses, static_cast<int64_t>(all.size()));
         EXPECT_EQ(batch.outputs[0].size(), static_cast<size_t>(batch.examples * kClasses));
         all.insert(all.end(), batch.outputs[0].begin(), batch.outputs[0].end());
         return absl::OkStatus();
       }});
  DL_EXPECT_OK(contract);
  EXPECT_EQ(nn::KernelSetOf(contract.value_or("")), wanted.kernels) << contract.value_or("");
  EXPECT_TRUE(nn::ParseContract(contract.value_or("")).ok());
  return all;
}

TEST(Predict, EveryExampleHasItsProbabilities) {
  const std::vector<float> all = Predict({});
  ASSERT_EQ(all.size(), static_cast<size_t>(kExamples * kClasses));
  for (int64_t i = 0; i < kExamples; ++i)
    EXPECT_NEAR(all[i * 3] + all[i * 3 + 1] + all[i * 3 + 2], 1, 1e-5) << i;
  EXPECT_NE(all[0], all[3]);
}

TEST(Predict, ThreadsAndMemoryAreNotInTheResult) {
  const std::vector<float> all = Predict({});
  EXPECT_EQ(Predict({.threads = 2}), all);
  EXPECT_EQ(Predict({.memory = 0}), all);
}

// With portable kernels, not even the batch size is in the result.
TEST(Predict, PortableKernelsPredictAlike) {
  const std::vector<float> all = Predict({.kernels = nn::Portable()});
  EXPECT_EQ(Predict({.threads = 2, .kernels = nn::Portable()}), all);
  EXPECT_EQ(Predict({.batch = 5, .kernels = nn::Portable()}), all);
  EXPECT_THAT(Predict({}), testing::Pointwise(testing::FloatNear(1e-5f), all));
}

// The default batch size is that of the job. In AVX2 kernels the rounding depends on a row's
// position in the batch, so other sizes differ by rounding errors.
TEST(Predict, OtherBatchesGiveTheSameButForRounding) {
  const std::vector<float> all = Predict({});
  for (const int64_t batch : {1, 5, 64}) {
    EXPECT_THAT(Predict({.batch = batch}), testing::Pointwise(testing::FloatNear(1e-6f), all))
        << batch;
  }
}

TEST(Predict, ExamplesGoThroughTheNormalizer) {
  EXPECT_NE(
      Predict({},
              {.kind = dataset::NormalizerKind::kStandardize, .first = {3, 4}, .second = {2, 2}}),
      Predict({}));
}

TEST(Predict, ErrorOfSinkEndsPrediction) {
  const dataset::Normalizer normalizer;
  int calls = 0;
  const auto contract = PredictExamples(
      Checkpoint({}), Table({}),
      {.contract = "", .normalizer = &normalizer, .visit = [&](const PredictedBatch&) {
         ++calls;
         return Cancelled({.message = "enough"});
       }});
  EXPECT_TRUE(absl::IsCancelled(contract.status()));
  EXPECT_EQ(calls, 1);
}

TEST(Predict, AnotherMachinesContractIsRefused) {
  const dataset::Normalizer normalizer;
  const auto contract = PredictExamples(
      Checkpoint({}), Table({}), {.contract = "isa=other", .normalizer = &normalizer, .visit = {}});
  EXPECT_TRUE(absl::IsFailedPrecondition(contract.status())) << contract.status();
}

}  // namespace
}  // namespace dl::inference
