// Counts every allocation of the process, to see that a step makes none of its own.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "gtest/gtest.h"
#include "nn/arena.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/primitive.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

extern "C" {
void* __libc_malloc(size_t size);                      // NOLINT: glibc's names
void* __libc_memalign(size_t alignment, size_t size);  // NOLINT
}

namespace {
std::atomic<int64_t> allocations{0};
}

extern "C" void* malloc(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
extern "C" void* aligned_alloc(size_t alignment, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
extern "C" int posix_memalign(void** out, size_t alignment, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}

namespace dl::nn {
namespace {

// Allocations of one execution of a primitive: oneDNN's own.
int64_t PerExecute() {
  const ComputeScope scope(1);
  const std::vector<int64_t> dims{4, 4};
  const Layout layout = Layout::Plain(dims);
  auto reorder = Reorder(layout, layout);
  EXPECT_TRUE(reorder.ok());
  alignas(64) float from[16] = {}, to[16];
  auto bound = reorder->Bind({{Role::kSource, from}, {Role::kDestination, to}});
  EXPECT_TRUE(bound.ok() && bound->Run().ok());
  const int64_t before = allocations.load();
  EXPECT_TRUE(bound->Run().ok());
  return allocations.load() - before;
}

int64_t PerStep(const Sequential& sequential) {
  const auto model = sequential.Build();
  EXPECT_TRUE(model.ok()) << model.status();
  auto network = Network::Create(*model, {.max_batch = 6});
  EXPECT_TRUE(network.ok()) << network.status();
  EXPECT_TRUE((*network)->Load(InitialState(*model, 1)).ok());
  const std::vector<float> features(6 * model->input.Elements(), 0.5f);
  const std::vector<int32_t> labels{0, 1, 2, 0, 1, 2};
  const auto step = [&] {
    const int64_t before = allocations.load();
    EXPECT_TRUE((*network)
                    ->TrainStep({.examples = 6, .features = features, .labels = labels},
                                {.learning_rate = 0.01})
                    .ok());
    return allocations.load() - before;
  };
  step();
  const int64_t first = step();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(step(), first);
  return first;
}

// A chain of elementwise layers adds steps of our own and no primitive: it must add no allocation.
// A model of one more dense layer adds three primitives (forward, two gradients) and perhaps
// reorders: a few of oneDNN's each.
TEST(Allocations, AStepMakesNoneOfItsOwn) {
  const auto base = [] {
    return Sequential("m")
        .Updater(Adam(0.01))
        .ClipGradientsByValue(1)
        .Input(FeedForward(8))
        .Layer(Dense(16));
  };
  const auto output = Output(3).Loss(SoftmaxCrossEntropy());
  const int64_t plain = PerStep(base().Layer(output));
  const int64_t with_ours = PerStep(base()
                                        .Layer(ActivationLayer(Tanh()))
                                        .Layer(ActivationLayer(Softmax()))
                                        .Layer(Dropout(0.5))
                                        .Layer(ActivationLayer(Relu()))
                                        .Layer(output));
  EXPECT_EQ(plain, with_ours);
  const int64_t per_execute = PerExecute();
  // Two dense layers: two forward, two weight gradients, one input gradient; a reorder or two each
  // at most.
  EXPECT_GE(plain, 1);
  EXPECT_LE(plain, 15 * std::max<int64_t>(per_execute, 12));
}

TEST(Allocations, TheCounterSeesAllocations) {
  const int64_t before = allocations.load();
  void* const memory = ::operator new(1000);  // called by name: not elided
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
  EXPECT_EQ(plan.Place(), 112 + 64);
  EXPECT_EQ(plan.offset(a), plan.offset(c));
  EXPECT_NE(plan.offset(a), plan.offset(b));
  EXPECT_EQ(plan.offset(b) % ArenaPlan::kAlignmentFloats, 0);
}

}  // namespace
}  // namespace dl::nn
