// Compares the project's pooling with oneDNN's on one thread: CPU time of a forward and a backward
// pass, the least of many repeats that alternate.
//
// pooling [avx2|avx512]
#include <cstdio>
#include <vector>

#include "bench/nn/timed_primitive.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/convolution_primitive.h"
#include "nn/backend/onednn/onednn_pooling.h"
#include "nn/backend/own/own_pooling.h"
#include "nn/kernel_contract.h"

namespace {

using namespace dl::nn;  // NOLINT: a program of one page
using dl::bench::TimedPrimitive;

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
  TimedPrimitive theirs(forward, 0);
  TimedPrimitive ours(OwnPoolingForward(g, source, PoolingWorkspace::kKept), 0);
  TimedPrimitive their_gradient(
      OnednnPoolingBackward(g, source, forward->layout(Role::kDestination)), 0);
  TimedPrimitive our_gradient(OwnPoolingBackward(g, source), 0);
  for (int i = 0; i < 60; ++i) {
    for (TimedPrimitive* one : {&theirs, &ours, &their_gradient, &our_gradient}) one->Measure();
  }
  const auto planes = source.ImagePlanes();
  std::printf(
      "%-26s inner %3d  %-16s  forward %8.0f %8.0f us %5.2f   backward %8.0f %8.0f us %5.2f\n",
      c.name, static_cast<int>(planes ? planes->inner : 0), theirs.name().c_str(),
      theirs.least_s() * 1e6, ours.least_s() * 1e6, theirs.least_s() / ours.least_s(),
      their_gradient.least_s() * 1e6, our_gradient.least_s() * 1e6,
      their_gradient.least_s() / our_gradient.least_s());
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
