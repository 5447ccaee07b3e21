#include "bench/steps/measured_models.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "tests/support/status_matchers.h"

namespace dl::bench {
namespace {

using testing::SizeIs;

TEST(BenchModels, AreBuiltWithoutRandomNumbersInSteps) {
  for (const BenchModel& model : BenchModels()) {
    SCOPED_TRACE(model.name);
    const auto built = model.make();
    DL_ASSERT_OK(built);
    for (const nn::LayerConfig& layer : built->layers) {
      if (const auto* dropout = std::get_if<nn::Dropout>(&layer.conf)) {
        EXPECT_EQ(dropout->probability, 0);
      }
    }
    EXPECT_FALSE(model.batches.empty());
  }
}

TEST(BenchModels, SmallAlexNetHasPublishedSize) {
  const auto tasks = TasksOf({"alexnet"});
  DL_ASSERT_OK(tasks);
  const auto model = tasks->front().model->make();
  DL_ASSERT_OK(model);
  EXPECT_EQ(model->ParameterCount(), 62'378'344);
}

TEST(TasksOf, TakesUsualMinibatchesOrOne) {
  const auto usual = TasksOf({"lenet_a"});
  DL_ASSERT_OK(usual);
  EXPECT_THAT(*usual, SizeIs(2));
  const auto one = TasksOf({"gpt:3", "mlp"});
  DL_ASSERT_OK(one);
  ASSERT_THAT(*one, SizeIs(2));
  EXPECT_EQ(one->front().model->name, "gpt");
  EXPECT_EQ(one->front().batch, 3);
}

TEST(TasksOf, AllNamesEveryModel) {
  const auto all = TasksOf({"all"});
  DL_ASSERT_OK(all);
  size_t count = 0;
  for (const BenchModel& model : BenchModels()) count += model.batches.size();
  EXPECT_THAT(*all, SizeIs(count));
}

TEST(TasksOf, RefusesUnknownModelAndBadMinibatch) {
  EXPECT_THAT(TasksOf({"lenet7"}),
              test::IsError(absl::StatusCode::kInvalidArgument, "did you mean \"lenet5\"?"));
  for (const char* word : {"gpt:0", "gpt:", "gpt:x", "gpt:-1", "gpt:1000000000000"})
    EXPECT_THAT(TasksOf({word}), test::IsError(absl::StatusCode::kInvalidArgument, word));
}

}  // namespace
}  // namespace dl::bench
