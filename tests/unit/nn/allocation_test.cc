// Counts all allocations of the process, separately inside oneDNN's executions, to check that a
// training step makes none outside them.
#include <dlfcn.h>
#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "gtest/gtest.h"
#include "nn/arena.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/parallel_for.h"
#include "nn/conf/kinds.h"
#include "nn/conf/model_outputs.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

extern "C" {
void* __libc_malloc(size_t size);                      // NOLINT: glibc's names
void* __libc_calloc(size_t count, size_t size);        // NOLINT
void* __libc_realloc(void* old, size_t size);          // NOLINT
void* __libc_memalign(size_t alignment, size_t size);  // NOLINT
}

namespace {
std::atomic<int64_t> allocations{0};         // outside oneDNN
std::atomic<int64_t> onednn_allocations{0};  // inside an execution of oneDNN
thread_local bool inside_onednn = false;

void Count() {
  (inside_onednn ? onednn_allocations : allocations).fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

// Replaces oneDNN's function, which the backend calls for every kernel.
extern "C" int dnnl_primitive_execute(const void* primitive, void* stream, int count,
                                      const void* arguments) {
  using Execute = int (*)(const void*, void*, int, const void*);
  static const auto real = reinterpret_cast<Execute>(dlsym(RTLD_NEXT, "dnnl_primitive_execute"));
  inside_onednn = true;
  const int status = real(primitive, stream, count, arguments);
  inside_onednn = false;
  return status;
}

extern "C" void* malloc(size_t size) {
  Count();
  return __libc_malloc(size);
}
extern "C" void* calloc(size_t count, size_t size) {
  Count();
  return __libc_calloc(count, size);
}
extern "C" void* realloc(void* old, size_t size) {
  Count();
  return __libc_realloc(old, size);
}
extern "C" void* memalign(size_t alignment, size_t size) {
  Count();
  return __libc_memalign(alignment, size);
}
extern "C" void* aligned_alloc(size_t alignment, size_t size) {
  Count();
  return __libc_memalign(alignment, size);
}
extern "C" int posix_memalign(void** out, size_t alignment, size_t size) {
  Count();
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}

namespace dl::nn {
namespace {

constexpr int64_t kExamples = 6, kShort = 4;

Minibatch Examples(const ModelConfig& model, int64_t count) {
  static const std::vector<float> features(kExamples * 1024, 0.5f), targets(kExamples * 16, 0.25f);
  static const std::vector<int32_t> labels{0, 1, 2, 0, 1, 2};
  static const std::vector<float> whole(kExamples * 16, 1.0f);  // also used as classes
  Minibatch batch{.examples = count,
                  .features = std::span(features).first(count * ElementsOf(model.inputs))};
  const LabelForm form = LabelFormOf(OutputsOf(model));
  if (form.kind == LabelForm::Kind::kClassSequence) {  // longer labels come later
    static const std::vector<int32_t> sequences{0, -1, 1, -1, 1, 1, 0, 1, -1, -1, 1, 0};
    batch.labels = std::span(sequences).first(2 * count);
  } else if (form.kind == LabelForm::Kind::kClass) {
    batch.labels = std::span(labels).first(count);
  } else {
    batch.targets = std::span(form.owners > 1 ? whole : targets).first(count * form.numbers);
  }
  return batch;
}

struct Seen {
  int64_t ours = 0, inside = 0;  // inside: within oneDNN's executions
};
// Trains on whole minibatches and on a shorter last one, and evaluates, alternately.
Seen TrainAndEvaluate(Network& network, int64_t round) {
  const ModelConfig& model = network.model();
  const Minibatch whole = Examples(model, kExamples), shorter = Examples(model, kShort);
  const Seen before{allocations.load(), onednn_allocations.load()};
  bool good = true;
  for (int64_t step = 0; step < 3; ++step) {
    good &= network
                .TrainStep(step < 2 ? whole : shorter, {.round = round,
                                                        .step = step,
                                                        .learning_rate = 0.01,
                                                        .update_count = 3 * round + step + 1})
                .ok();
  }
  MetricSums sums;  // the caller owns the confusion matrix of an evaluation
  good &= network.EvaluateInto(shorter, sums).ok() && network.EvaluateInto(whole, sums).ok();
  const Seen after{allocations.load(), onednn_allocations.load()};
  EXPECT_TRUE(good);
  return {after.ours - before.ours, after.inside - before.inside};
}

void ExpectNoneOfOurs(const Sequential& sequential) {
  const auto model = sequential.Build();
  ASSERT_TRUE(model.ok()) << model.status();
  SCOPED_TRACE(model->name);
  auto network = Network::Create(*model, {.max_batch = kExamples});
  ASSERT_TRUE(network.ok()) << network.status();
  ASSERT_TRUE((*network)->Load(InitialState(*model, 1)).ok());
  TrainAndEvaluate(**network, 0);  // warms up
  const int64_t first_inside = TrainAndEvaluate(**network, 1).inside;
  EXPECT_GT(first_inside, 0);  // else nothing was counted
  for (int64_t round = 2; round < 8; ++round) {
    const Seen seen = TrainAndEvaluate(**network, round);
    EXPECT_EQ(seen.ours, 0) << "round " << round;
    EXPECT_EQ(seen.inside, first_inside) << "round " << round;
  }
}

TEST(Allocations, DividedLoopAllocatesNothing) {
  std::vector<float> x(1 << 20, 0.5f), y(1 << 20);
  const ComputeScope scope(3);
  CopyFloats(x.data(), 1 << 20, y.data());  // starts the threads
  const int64_t before = allocations.load();
  for (int i = 0; i < 5; ++i) CopyFloats(x.data(), 1 << 20, y.data());
  EXPECT_EQ(allocations.load(), before);
}

TEST(Allocations, StepAllocatesNothing) {
  const auto output = Output(3).Loss(SoftmaxCrossEntropy());
  ExpectNoneOfOurs(Sequential("mlp")
                       .Updater(Adam(0.01))
                       .ClipGradientsByValue(1)
                       .ClipGradientsByNorm(1)
                       .Input(FeedForward(8))
                       .Layer(Dense(16).Activation(Tanh()))
                       .Layer(Dropout(0.5))
                       .Layer(ActivationLayer(Softmax()))
                       .Layer(output));
  ExpectNoneOfOurs(Sequential("cnn")
                       .Updater(Nesterov(0.01))
                       .Input(Image(1, 12, 12))
                       .Layer(Conv2D(20).Kernel(3).Activation(Tanh()))
                       .Layer(BatchNorm())
                       .Layer(MaxPool2D(2))
                       .Layer(Conv2D(7).Kernel(3).Activation(Sigmoid()))
                       .Layer(AvgPool2D(2))
                       .Layer(output));
  ExpectNoneOfOurs(Sequential("volumes")
                       .Updater(Nesterov(0.01))
                       .Input(Volume(2, 6, 7, 8))
                       .Layer(Conv3D(20).Kernel(3).Activation(Tanh()))
                       .Layer(BatchNorm())
                       .Layer(MaxPool3D(2))
                       .Layer(Conv3D(8).Kernel(2, 1, 2).Groups(2).Activation(Sigmoid()))
                       .Layer(GroupNorm(2))
                       .Layer(AvgPool3D(1, 2, 1))
                       .Layer(output));
  ExpectNoneOfOurs(Sequential("groups")
                       .Updater(Momentum(0.01))
                       .L2(1e-3)
                       .WeightDecay(1e-3)
                       .Input(Image(4, 10, 10))
                       .Layer(Conv2D(8).Kernel(3).Groups(2).Activation(Relu()))
                       .Layer(Dense(9).Activation(LeakyRelu()))
                       .Layer(Output(5).Loss(MeanSquaredError())));
  ExpectNoneOfOurs(Sequential("norms_of_tensors")
                       .Updater(Lamb(0.01))
                       .L1(1e-3)
                       .NormalizeGradients(ClipNormPerLayer(1))
                       .Input(FeedForward(8))
                       .Layer(Dense(16).Activation(Gelu()))
                       .Layer(Dense(12).Activation(Elu()).Frozen())
                       .Layer(output));
  // Constraints in place, in copies of blocked layouts, and in groups.
  ExpectNoneOfOurs(Sequential("norms_of_outputs")
                       .Updater(Adam(0.01))
                       .WeightConstraint(MaxNorm(0.1))
                       .Input(Image(4, 10, 10))
                       .Layer(Conv2D(20).Kernel(3).Activation(Tanh()))
                       .Layer(Conv2D(8).Kernel(3).Groups(2).WeightConstraint(UnitNorm()))
                       .Layer(Dense(33).Activation(Tanh()))
                       .Layer(output));
  // Weights with different layouts in different layers, and several inputs.
  ExpectNoneOfOurs(
      Sequential("several_outputs")
          .Updater(Sgd(0.01))
          .Input(FeedForward(8))
          .Layer(Dense(6).Name("body"))
          .Layer(Output(2).Loss(MeanSquaredError()).LossWeight(0.5).Name("place"))
          .Layer(Output(3).Loss(Focal()).Inputs({"body"}).Name("kind"))
          .Layer(Output(3).Loss(SoftmaxCrossEntropy()).Inputs({"body"}).LabelsOf("kind"))
          .Layer(LossLayer(MeanSquaredError()).Inputs({"input"}).ComparedWithInput().LossWeight(0))
          .Layer(Output(1).Loss(BinaryCrossEntropy()).Inputs({"body"})));
  ExpectNoneOfOurs(Sequential("shared_weights")
                       .Updater(Adam(0.01))
                       .Input("left", Image(16, 6, 6))
                       .Input("right", Image(16, 3, 3))
                       .Layer(Conv2D(24).Kernel(3).Inputs({"left"}).Name("a"))
                       .Layer(Dense(7).Activation(Tanh()).Name("code"))
                       .Layer(Conv2D(24).Kernel(3).Inputs({"right"}).WeightsOf("a"))
                       .Layer(Dense(7).Activation(Tanh()).Name("other"))
                       .Layer(Add().Inputs({"code", "other"}).Name("sum"))
                       .Layer(Concat().Inputs({"sum", "code", "other"}))
                       .Layer(output));
  ExpectNoneOfOurs(Sequential("dropped_states")
                       .Updater(Adam(0.01))
                       .Input(Sequence(4, 6))
                       .Layer(Lstm(5).Bidirectional().RecurrentDropout(0.3))
                       .Layer(Gru(5).ResetBefore().RecurrentDropout(0.3))
                       .Layer(Gru(5).RecurrentDropout(0.3).LastState())
                       .Layer(output));
  for (const LossType& type : LossTypes()) {
    for (const LossConf& loss : type.samples())
      ExpectNoneOfOurs(Sequential(std::string(type.tag))
                           .Input(JudgesSequences(loss) ? Sequence(4, 3) : FeedForward(8))
                           .Layer(Output(3).Loss(loss)));
  }
}

TEST(Allocations, CounterSeesAllocations) {
  // Calls through pointers cannot be optimized away.
  const auto expect_counted = [](const char* what, auto allocate) {
    const int64_t before = allocations.load();
    void* const memory = allocate();
    EXPECT_GT(allocations.load(), before) << what;
    std::free(memory);
  };
  void* (*volatile allocate)(size_t) = std::malloc;
  void* (*volatile allocate_zeros)(size_t, size_t) = std::calloc;
  void* (*volatile reallocate)(void*, size_t) = std::realloc;
  void* (*volatile allocate_aligned)(size_t, size_t) = memalign;
  expect_counted("malloc", [&] { return allocate(1000); });
  expect_counted("calloc", [&] { return allocate_zeros(10, 100); });
  expect_counted("realloc", [&] { return reallocate(nullptr, 1000); });
  expect_counted("memalign", [&] { return allocate_aligned(64, 1024); });
  const int64_t before = allocations.load();
  void* const memory = ::operator new(1000);
  EXPECT_GT(allocations.load(), before);
  ::operator delete(memory);
}

}  // namespace
}  // namespace dl::nn

#endif

namespace dl::nn {
namespace {

TEST(ArenaPlan, BuffersThatLiveTogetherNeverOverlapAndOthersShare) {
  ArenaPlan plan;
  const BufferId a = plan.Add(100);
  plan.Advance();
  const BufferId b = plan.Add(50);
  plan.Use(a);
  plan.Advance();
  const BufferId c = plan.Add(100);
  plan.Use(b);
  EXPECT_EQ(plan.Place(), 4 * (112 + 64));
  EXPECT_EQ(plan.offset(a), plan.offset(c));
  EXPECT_NE(plan.offset(a), plan.offset(b));
  EXPECT_EQ(plan.offset(b) % ArenaPlan::kAlignment, 0);
}

TEST(ArenaPlan, BuffersAreAsLargeAsTheirType) {
  const std::vector<int64_t> dims{3, 50};
  const auto size_of = [](auto add) {
    ArenaPlan plan;
    const BufferId id = add(plan);
    return std::pair(plan.Place(), plan.type(id));
  };
  EXPECT_EQ(size_of([](ArenaPlan& plan) { return plan.Add<uint8_t>(150); }),
            std::pair(int64_t{192}, DataType::kUint8));
  EXPECT_EQ(size_of([](ArenaPlan& plan) { return plan.Add<double>(150); }),
            std::pair(int64_t{1216}, DataType::kFloat64));
  for (const DataType type : {DataType::kFloat32, DataType::kInt32, DataType::kUint8}) {
    const Layout layout = Layout::Plain(dims, type);
    EXPECT_EQ(layout.type(), type);
    EXPECT_TRUE(layout.is_plain());
    EXPECT_EQ(layout.stored_elements(), 150);
    EXPECT_EQ(layout == Layout::Plain(dims), type == DataType::kFloat32);
    EXPECT_EQ(layout.As(DataType::kFloat32), Layout::Plain(dims));
    EXPECT_EQ(size_of([&](ArenaPlan& plan) { return plan.Add(layout); }),
              std::pair(type == DataType::kUint8 ? int64_t{192} : int64_t{640}, type));
  }
}

}  // namespace
}  // namespace dl::nn
