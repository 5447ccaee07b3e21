// Counts the allocations of the process, apart for those inside oneDNN's executions, to see that a
// step makes none of ours.
#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "gtest/gtest.h"
#include "nn/arena.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

extern "C" {
void* __libc_malloc(size_t size);                      // NOLINT: glibc's names
void* __libc_memalign(size_t alignment, size_t size);  // NOLINT
}

namespace {
std::atomic<int64_t> allocations{0};         // outside of oneDNN
std::atomic<int64_t> onednn_allocations{0};  // inside of an execution
thread_local bool inside_onednn = false;

void Count() {
  (inside_onednn ? onednn_allocations : allocations).fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

// Stands in front of oneDNN's own function; the backend calls it for every kernel.
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

void ExpectNoneOfOurs(const Sequential& sequential) {
  const auto model = sequential.Build();
  ASSERT_TRUE(model.ok()) << model.status();
  auto network = Network::Create(*model, {.max_batch = 6});
  ASSERT_TRUE(network.ok()) << network.status();
  ASSERT_TRUE((*network)->Load(InitialState(*model, 1)).ok());
  const std::vector<float> features(6 * model->input.Elements(), 0.5f);
  const std::vector<int32_t> labels{0, 1, 2, 0, 1, 2};
  int64_t first_inside = -1;
  for (int step = 0; step < 20; ++step) {
    const int64_t before = allocations.load(), before_inside = onednn_allocations.load();
    const auto sums = (*network)->TrainStep({.examples = 6, .features = features, .labels = labels},
                                            {.step = step, .learning_rate = 0.01});
    const int64_t ours = allocations.load() - before,
                  inside = onednn_allocations.load() - before_inside;
    ASSERT_TRUE(sums.ok()) << sums.status();
    if (step == 0) continue;  // warms up
    EXPECT_EQ(ours, 0) << "step " << step;
    if (step == 1) first_inside = inside;
    EXPECT_EQ(inside, first_inside) << "step " << step;
  }
  EXPECT_GT(first_inside, 0);  // else nothing was watched
}

TEST(Allocations, AStepMakesNoneOfItsOwn) {
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
