// The initial state of a job whose spec names weights.
#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/describe.h"
#include "job/job_builder.h"
#include "master/job_definition.h"
#include "nn/conf/segments.h"
#include "tests/support/status_matchers.h"

namespace dl::master {
namespace {

using test::IsError;

class InitialWeightsOfJob : public testing::Test {
 protected:
  job::JobSpec Spec() const {
    return job::Job("begins")
        .Seed(7)
        .Model(nn::Sequential("line")
                   .Updater(nn::Momentum(0.1))
                   .Input(nn::FeedForward(2))
                   .Layer(nn::Dense(3).Name("a"))
                   .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()).Name("b")))
        .InitialWeights(job::ImportedWeights{.tensors = {"b.bias", "a.weight"}, .blocks = {block_}})
        .Train(
            job::ManifestReference{.sha256 = std::string(64, 'a'),
                                   .summary = {.examples = 4, .feature_shape = {2}, .classes = 2}})
        .Build()
        .value();
  }
  // Returns the initial state if a block holds these values.
  StatusOr<std::vector<float>> Begin(const std::vector<float>& values) const {
    std::string bytes(values.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    const auto read = [&](const std::string& sha256) -> StatusOr<std::string> {
      if (sha256 != block_) return NotFound({.message = "no such block"});
      return bytes;
    };
    DL_ASSIGN_OR_RETURN(const JobMaterial material, MaterialFromSpec(job::FormatJob(Spec()), read));
    return material.initial_state();
  }
  const std::string block_ = std::string(64, 'b');
};

TEST_F(InitialWeightsOfJob, ReplaceWeightsOfSeed) {
  const job::JobSpec spec = Spec();
  const SegmentTable table = nn::FullTable(spec.model, spec.training.batch_size);
  std::vector<float> expected = nn::InitialState(spec.model, 7, spec.training.batch_size);
  const auto put = [&](const char* name, const std::vector<float>& values) {
    std::ranges::copy(values, table.View(*table.Find(name), std::span<float>(expected)).begin());
  };
  put("b.bias", {1, 2});
  put("a.weight", {3, 4, 5, 6, 7, 8});
  const auto state = Begin({1, 2, 3, 4, 5, 6, 7, 8});
  DL_ASSERT_OK(state);
  EXPECT_EQ(*state, expected);
}

TEST_F(InitialWeightsOfJob, BlocksOfWrongSizeAreRefused) {
  for (const std::vector<float>& values : {std::vector<float>(7), std::vector<float>(9)}) {
    EXPECT_THAT(Begin(values), IsError(absl::StatusCode::kInvalidArgument, "initial_weights"))
        << values.size();
  }
}

TEST_F(InitialWeightsOfJob, MissingBlockIsAnError) {
  const auto material =
      MaterialFromSpec(job::FormatJob(Spec()), [](const std::string&) -> StatusOr<std::string> {
        return DataLoss({.message = "it is damaged"});
      });
  DL_ASSERT_OK(material);
  EXPECT_THAT(material->initial_state(), IsError(absl::StatusCode::kDataLoss, "damaged"));
}

TEST(StoredBlocksOfWeights, AreStoredAsListOfNames) {
  EXPECT_THAT(*BlocksOfWeights(R"(["a","b"])"), testing::ElementsAre("a", "b"));
  for (const char* damaged : {"", "{}", "[1]"})
    EXPECT_THAT(BlocksOfWeights(damaged), IsError(absl::StatusCode::kDataLoss, "weights"));
}

}  // namespace
}  // namespace dl::master
