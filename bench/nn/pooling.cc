// Compares the project's pooling with oneDNN's on one thread: CPU time of a forward and a backward
// pass, the least of many repeats that alternate.
//
// pooling [avx2|avx512]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "nn/backend/compute_scope.h"
#include "nn/backend/convolution_primitive.h"
#include "nn/backend/onednn/onednn_pooling.h"
#include "nn/backend/own/own_pooling.h"
#include "nn/kernel_contract.h"

namespace {

using namespace dl::nn;  // NOLINT: a program of one page

// Processor time of this thread in microseconds.
double CpuUs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// A primitive on buffers of its own.
class Bench {
 public:
  explicit Bench(const dl::StatusOr<Primitive>& primitive) : name_(primitive->name()) {
    std::vector<std::pair<Role, void*>> buffers;
    for (size_t i = 0; i < kRoles; ++i) {
      const auto role = static_cast<Role>(i);
      const int64_t floats = primitive->storage_floats(role);
      // The buffers of positions begin with 0, the first position of a window.
      if (floats == 0) continue;
      memory_.emplace_back(floats + 16, 0.0f);
      auto address = reinterpret_cast<uintptr_t>(memory_.back().data());
      buffers.emplace_back(role, reinterpret_cast<void*>((address + 63) / 64 * 64));
    }
    const auto of = [&](Role role) -> void* {
      for (const auto& [r, p] : buffers)
        if (r == role) return p;
      return nullptr;
    };
    bound_ = *primitive->Bind({{Role::kSource, of(Role::kSource)},
                               {Role::kDestination, of(Role::kDestination)},
                               {Role::kWorkspace, of(Role::kWorkspace)},
                               {Role::kScratchpad, of(Role::kScratchpad)},
                               {Role::kDiffSource, of(Role::kDiffSource)},
                               {Role::kDiffDestination, of(Role::kDiffDestination)}});
  }
  void Measure() {
    const double start = CpuUs();
    if (!bound_.Run().ok()) std::abort();
    least_ = std::min(least_, CpuUs() - start);
  }
  double least() const { return least_; }
  const std::string& name() const { return name_; }

 private:
  std::vector<std::vector<float>> memory_;
  BoundPrimitive bound_;
  std::string name_;
  double least_ = 1e12;
};

struct Case {
  const char* name;
  PoolingKind kind;
  int64_t batch, channels, size, kernel, stride, pad;
  int axes = 2;
};

// The layout that convolutions give their results.
Layout ConvolutionLayout(const PoolingGeometry& g) {
  const size_t axes = g.window.in.size();
  const WindowGeometry::Axes one(axes, 1), zero(axes, 0);
  return ConvolutionForward({.batch = g.batch,
                             .in_channels = g.channels,
                             .out_channels = g.channels,
                             .window = {.in = g.window.in,
                                        .out = g.window.in,
                                        .kernel = one,
                                        .stride = one,
                                        .dilation = one,
                                        .pad_before = zero,
                                        .pad_after = zero}},
                            Layout())
      ->layout(Role::kDestination);
}

void Run(const Case& c, bool plain) {
  const int64_t out = (c.size + 2 * c.pad - c.kernel) / c.stride + 1;
  const auto all = [&](int64_t n) { return WindowGeometry::Axes(c.axes, n); };
  const PoolingGeometry g{
      .kind = c.kind,
      .batch = c.batch,
      .channels = c.channels,
      .window = {.in = all(c.size),
                 .out = all(out),
                 .kernel = all(c.kernel),
                 .stride = all(c.stride),
                 .dilation = all(1),
                 .pad_before = all(c.pad),
                 .pad_after = all((out - 1) * c.stride + c.kernel - c.size - c.pad)}};
  std::vector<int64_t> dims = {c.batch, c.channels};
  dims.insert(dims.end(), g.window.in.begin(), g.window.in.end());
  const Layout source = plain ? Layout::Plain(dims) : ConvolutionLayout(g);
  const auto forward = OnednnPoolingForward(g, source, PoolingWorkspace::kKept);
  Bench theirs(forward), ours(OwnPoolingForward(g, source, PoolingWorkspace::kKept));
  Bench their_gradient(OnednnPoolingBackward(g, source, forward->layout(Role::kDestination)));
  Bench our_gradient(OwnPoolingBackward(g, source));
  for (int i = 0; i < 60; ++i) {
    for (Bench* bench : {&theirs, &ours, &their_gradient, &our_gradient}) bench->Measure();
  }
  const auto planes = source.ImagePlanes();
  std::printf(
      "%-26s inner %3d  %-16s  forward %8.0f %8.0f us %5.2f   backward %8.0f %8.0f us %5.2f\n",
      c.name, static_cast<int>(planes ? planes->inner : 0), theirs.name().c_str(), theirs.least(),
      ours.least(), theirs.least() / ours.least(), their_gradient.least(), our_gradient.least(),
      their_gradient.least() / our_gradient.least());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    const auto isa = IsaFromName(argv[1]);
    if (!isa.ok() || !SetProcessIsa(*isa).ok()) return 1;
  }
  std::printf("%s\n", KernelContractId(*ProcessIsa()).c_str());
  const ComputeScope scope(1);
  constexpr auto kMax = PoolingKind::kMax, kMean = PoolingKind::kAverageInside;
  for (const bool plain : {false, true}) {
    for (const Case& c : {Case{"lenet_a 1", kMax, 128, 20, 24, 2, 2, 0},
                          Case{"lenet_a 2", kMax, 128, 50, 8, 2, 2, 0},
                          Case{"vgg 64x32x32", kMax, 42, 64, 32, 2, 2, 0},
                          Case{"alexnet 64x27x27, 3/2", kMax, 16, 64, 55, 3, 2, 0},
                          Case{"resnet stem 64x56, 3/2 p1", kMax, 4, 64, 112, 3, 2, 1},
                          Case{"inception 3/1 p1", kMax, 16, 64, 28, 3, 1, 1},
                          Case{"mean 2/2", kMean, 64, 64, 28, 2, 2, 0},
                          Case{"mean 3/2 p1", kMean, 64, 64, 28, 3, 2, 1},
                          Case{"global mean 512x7x7", kMean, 42, 512, 7, 7, 7, 0},
                          Case{"volume 2/2", kMax, 4, 32, 24, 2, 2, 0, 3},
                          Case{"volume mean 3/2 p1", kMean, 4, 32, 24, 3, 2, 1, 3}})
      Run(c, plain);
  }
  return 0;
}
