// Trains networks of all layers, losses and updaters with several numbers of threads in Paravane's
// own loops, and compares the bits. oneDNN computes on one thread, because the bits of its kernels
// depend on the number of threads.
#include <algorithm>

#include "base/json.h"
#include "gtest/gtest.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/parallel_for.h"
#include "nn/carried_states.h"
#include "nn/conf/kinds.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/sequential.h"
#include "nn/conf/updaters/updater_registry.h"
#include "nn/execution_plan.h"
#include "nn/kernel_contract.h"
#include "nn/output_losses.h"
#include "nn/parameter_store.h"
#include "tests/golden/kernel_models.h"

namespace dl::test {
namespace {

using namespace nn;  // NOLINT: as kernel_models.cc

// Makes the steps of nn/network.h from their parts.
class Trained {
 public:
  explicit Trained(const KernelCase& one)
      : one_(one),
        model_(one.model),
        parameters_(model_, {.carried_rows = one.batch, .accumulates = true}),
        judged_(model_, one.batch, {.counted_rows_only = false, .loss_of_rows = false}),
        lengths_(model_, one.batch),
        carried_(Must(CarriedStates::Create(model_, parameters_.table(),
                                            {.training = one.batch, .inference = one.batch}))),
        plan_(Must(ExecutionPlan::Create({.model = model_,
                                          .parameters = parameters_,
                                          .carried = carried_,
                                          .lengths = lengths_,
                                          .counted = judged_.selected()},
                                         {.purpose = Purpose::kTraining, .batch = one.batch}))),
        arena_(Must(FloatBuffer::Create(plan_->arena_bytes() / sizeof(float) + 1))) {
    DL_CHECK(parameters_.Arrange(plan_->parameter_layouts()).ok());
    DL_CHECK(plan_->Bind(arena_.data()).ok());
    state_.resize(parameters_.table().size());
    const std::vector<float>& first = SampleFor(one).state;
    std::copy_n(first.begin(), std::min(first.size(), state_.size()), state_.begin());
    const SegmentSpan whole{0, state_};
    DL_CHECK(parameters_.Load(std::span(&whole, 1)).ok());
  }

  // Returns the state after a step whose gradients are added twice, and the sums of the losses.
  std::pair<std::vector<float>, std::string> Step() {
    const Minibatch batch = SampleFor(one_).BatchOf(one_);
    DL_CHECK(judged_.Expect(batch).ok());
    std::ranges::copy(batch.features, plan_->inputs().front());
    lengths_.Set(batch.lengths);
    const Pass pass{.seed = 3,
                    .epoch = 1,
                    .step = 2,
                    .micro_batch = {.examples = one_.batch, .minibatch = one_.batch}};
    MetricSums sums;
    parameters_.BeginUpdate(0.01, 1);
    for (const bool last : {false, true}) {
      DL_CHECK(plan_->Forward(pass).ok());
      judged_.AddLosses(*plan_, pass.micro_batch, sums);
      plan_->AddPenalties(judged_.CountedOfMain(), sums);
      judged_.SetGradients(*plan_, pass.micro_batch);
      DL_CHECK(plan_->Backward(pass).ok());
      DL_CHECK(parameters_.AddSharedGradients().ok());
      DL_CHECK(parameters_.AccumulateGradients({.first = !last, .last = last}).ok());
    }
    DL_CHECK(parameters_.FinishUpdate().ok());
    carried_.Store(state_);
    DL_CHECK(parameters_.Store(state_).ok());
    return {state_, JsonText(sums.ToJson())};
  }

 private:
  const KernelCase& one_;
  const ModelConfig& model_;
  ParameterStore parameters_;
  OutputLosses judged_;
  ExampleLengths lengths_;
  CarriedStates carried_;
  std::unique_ptr<ExecutionPlan> plan_;
  FloatBuffer arena_;
  std::vector<float> state_;
};

void ExpectSameBits(const KernelCase& one) {
  SCOPED_TRACE(one.name);
  const ComputeScope scope(1);
  const auto want = Trained(one).Step();
  for (const int threads : {2, 3, 5}) {
    const LoopThreads loops(threads, /*least_floats=*/1);
    const auto got = Trained(one).Step();
    EXPECT_EQ(got.second, want.second) << threads;
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(got.first)),
                                   std::as_bytes(std::span(want.first))))
        << threads;
  }
}

TEST(ThreadBits, LoopsOfAllLayersAndLosses) {
  ASSERT_TRUE(ProcessIsa().ok());  // as networks do before their first kernel
  for (const KernelCase& one : KernelCases()) {
    if (one.threads == 1) ExpectSameBits(one);
  }
}

TEST(ThreadBits, LoopsOfAllUpdatersAndNorms) {
  ASSERT_TRUE(ProcessIsa().ok());
  const std::vector<KernelCase> cases = KernelCases();
  KernelCase one = cases.front();
  for (const UpdaterConf& updater : DefaultsOf(static_cast<const UpdaterConf*>(nullptr))) {
    const auto model = Sequential("updater")
                           .Updater(updater)
                           .L1(1e-4)
                           .L2(1e-3)
                           .WeightDecay(1e-3)
                           .ClipGradientsByValue(0.5)
                           .ClipGradientsByNorm(0.1)
                           .Input(FeedForward(90))
                           .Layer(Dense(300).Activation(Gelu()).WeightConstraint(MaxNorm(0.5)))
                           .Layer(Output(7).Loss(SoftmaxCrossEntropy()))
                           .Build();
    ASSERT_TRUE(model.ok()) << model.status();
    one.name = one.shapes = std::string(TagOf(updater));
    one.model = *model;
    one.batch = 40;
    ExpectSameBits(one);
  }
}

}  // namespace
}  // namespace dl::test
