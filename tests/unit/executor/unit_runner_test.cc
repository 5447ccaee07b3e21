#include "executor/unit_runner.h"

#include <algorithm>
#include <map>

#include "base/checksum.h"
#include "base/thread.h"
#include "base/trace_parts.h"
#include "executor/layer_spans.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/executor/memory_job.h"

namespace dl::executor {
namespace {

using dl::test::IsError;

class UnitRunnerTest : public testing::Test {
 protected:
  std::shared_ptr<const JobContext> Context(const MemoryJob& job) {
    auto context = MakeJobContext("memory-1", job.Documents(), job.blocks);
    EXPECT_TRUE(context.ok()) << DescribeError(context.status());
    return *context;
  }
  StatusOr<UnitResult> Run(const std::shared_ptr<const JobContext>& job) {
    return RunOn(runner_, job);
  }
  static StatusOr<UnitResult> RunOn(UnitRunner& runner,
                                    const std::shared_ptr<const JobContext>& job) {
    auto model = FloatBuffer::Create(job->layout().model().table.size());
    DL_RETURN_IF_ERROR(model.status());
    const std::vector<float> first = nn::InitialState(job->spec.model, job->spec.seed);
    std::copy_n(first.begin(), model->size(), model->data());
    return runner.Run(job, {"memory-1", UnitKind::kTrain, 1, 0},
                      {.parts = {{"model", std::make_shared<FloatBuffer>(*std::move(model))}}},
                      nullptr);
  }
  static uint64_t HashOf(const StatusOr<UnitResult>& result) {
    return result.ok() ? Xxh3(std::as_bytes(result->state->span())) : 0;
  }

  MemoryBlocks blocks_;
  const std::shared_ptr<const JobContext> slow_ = Context(MakeMemoryJob(blocks_, 0.001));
  const std::shared_ptr<const JobContext> fast_ = Context(MakeMemoryJob(blocks_, 0.1));
  UnitRunner runner_;
};

TEST_F(UnitRunnerTest, ResultBelongsToRequestedJob) {
  const auto slow = Run(slow_), fast = Run(fast_), again = Run(slow_);
  DL_ASSERT_OK(slow);
  EXPECT_EQ(slow->steps, 16);
  DL_ASSERT_OK(fast);
  EXPECT_NE(HashOf(slow), HashOf(fast));
  EXPECT_EQ(HashOf(slow), HashOf(again));
}

// Layers and kernels are spans inside of the step. They change no bit, and only the first steps of
// a unit have them.
TEST_F(UnitRunnerTest, TraceHasLayersOfFirstSteps) {
  const uint64_t untraced = HashOf(Run(slow_));
  StartTrace();
  const uint64_t traced = HashOf(Run(slow_));
  const std::vector<TracedSpan> spans = StopTrace();
  EXPECT_EQ(traced, untraced);
  EXPECT_EQ(HashOf(Run(slow_)), untraced) << "the network is no longer observed";
  const auto step = std::ranges::find(spans, spans::kStep, &TracedSpan::name);
  ASSERT_NE(step, spans.end());
  std::map<std::string_view, int64_t> counts;
  bool has_kernel_in_step = false;
  for (const TracedSpan& span : spans) {
    ++counts[span.name];
    const bool is_in_step = step->begin <= span.begin && span.end <= step->end;
    has_kernel_in_step |= is_in_step && span.name.find("inner_product") != std::string_view::npos;
    if (span.name == "output1 forward") {
      EXPECT_EQ(span.round, 1);
    }
  }
  EXPECT_EQ(counts[spans::kStep], 16);
  EXPECT_EQ(counts[spans::kInputs], kTracedSteps);
  // Each layer with parameters has an update of its own, and another one ends the step.
  EXPECT_GT(counts[spans::kUpdate], kTracedSteps);
  EXPECT_EQ(counts[spans::kUpdate] % kTracedSteps, 0);
  // A layer has a part for each of its operations.
  EXPECT_GE(counts["output1 forward"], kTracedSteps);
  EXPECT_GE(counts["output1 backward"], kTracedSteps);
  EXPECT_TRUE(has_kernel_in_step);
}

// Jobs take turns on a slot. The engine of each job is kept until the job's next turn.
TEST_F(UnitRunnerTest, JobsThatAlternateAreEachPreparedOnce) {
  const uint64_t slow = HashOf(Run(slow_)), fast = HashOf(Run(fast_));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(HashOf(Run(slow_)), slow);
    EXPECT_EQ(HashOf(Run(fast_)), fast);
  }
  EXPECT_EQ(runner_.engines_built(), 2);
}

TEST_F(UnitRunnerTest, BeyondTheBoundTheOneUsedLongestAgoGoes) {
  const auto third = Context(MakeMemoryJob(blocks_, 0.01));
  const int64_t one = EngineBytes(*slow_);
  EXPECT_GT(one, 4 * slow_->layout().unit.size());
  for (const JobEngines::Bounds& bounds :
       {JobEngines::Bounds{.engines = 2}, JobEngines::Bounds{.bytes = 2 * one}}) {
    UnitRunner runner(bounds);
    DL_EXPECT_OK(RunOn(runner, slow_));
    DL_EXPECT_OK(RunOn(runner, fast_));
    DL_EXPECT_OK(RunOn(runner, slow_));
    DL_EXPECT_OK(RunOn(runner, third));  // replaces the engine of fast_
    EXPECT_EQ(runner.engines_built(), 3);
    DL_EXPECT_OK(RunOn(runner, slow_));
    EXPECT_EQ(runner.engines_built(), 3);
    DL_EXPECT_OK(RunOn(runner, fast_));
    EXPECT_EQ(runner.engines_built(), 4);
  }
  UnitRunner small({.bytes = 1});
  for (int i = 0; i < 2; ++i) DL_EXPECT_OK(RunOn(small, slow_));
  EXPECT_EQ(small.engines_built(), 1) << "the newest stays, however large";
}

TEST_F(UnitRunnerTest, UnusedEngineIsReplaced) {
  const int64_t one = EngineBytes(*slow_);
  for (const bool tight : {true, false}) {
    EngineMemory shared(tight ? one + one / 2 : 2 * one);
    UnitRunner first({.shared = &shared}), second({.shared = &shared});
    for (int i = 0; i < 3; ++i) {
      DL_EXPECT_OK(RunOn(first, slow_));
      DL_EXPECT_OK(RunOn(second, slow_));
    }
    EXPECT_EQ(first.engines_built(), tight ? 3 : 1);
    EXPECT_EQ(second.engines_built(), tight ? 3 : 1);
  }
}

// The unit is leased and its run has not begun. Preparing the engine may take long.
TEST_F(UnitRunnerTest, CancelBeforeRunTakesEffect) {
  runner_.Cancel();
  EXPECT_THAT(Run(slow_), IsError(absl::StatusCode::kCancelled, ""));
  EXPECT_THAT(Run(fast_), IsError(absl::StatusCode::kCancelled, ""));
  runner_.Begin();
  DL_EXPECT_OK(Run(fast_));
  runner_.Cancel();  // cancels a unit that has ended
  runner_.Begin();
  DL_EXPECT_OK(Run(fast_));
}

// Each job has its own reader. Cancel must wake the reader of the current job.
TEST_F(UnitRunnerTest, CancelsWhileJobsChange) {
  constexpr int kChanges = 200;
  runner_.Cancel();  // the thread may start late
  std::atomic<bool> done = false;
  Thread canceller("canceller", [&] {
    while (!done) runner_.Cancel();
  });
  for (int i = 0; i < kChanges; ++i) {
    EXPECT_THAT(Run(i % 2 == 0 ? slow_ : fast_), IsError(absl::StatusCode::kCancelled, ""));
  }
  done = true;
  canceller.Join();
  runner_.Begin();
  DL_EXPECT_OK(Run(slow_));
}

// A failed preparation must not change the results of other jobs.
TEST_F(UnitRunnerTest, FailedPreparationLeavesNothing) {
  const auto before = Run(slow_);
  DL_ASSERT_OK(before);
  const auto other = nn::Sequential("other")
                         .Input(nn::Image(1, 12, 12))
                         .Layer(nn::Dense(5))
                         .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy()))
                         .Build();
  DL_ASSERT_OK(other);
  const auto context = std::make_shared<JobContext>(*fast_);
  context->spec.model = *other;  // no longer matches its layout
  EXPECT_FALSE(Run(context).ok());
  const auto after = Run(slow_);
  DL_ASSERT_OK(after);
  EXPECT_EQ(HashOf(before), HashOf(after));
}

}  // namespace
}  // namespace dl::executor
