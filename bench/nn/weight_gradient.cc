// Compares the project's weight gradient of convolutions with oneDNN's on one thread: CPU time of a
// run, the least of many repeats that alternate, for the layers of well-known networks. The table
// in nn/backend/weight_gradient_choice.cc follows from it.
//
// weight_gradient [avx2|avx512 [BATCH [NAME]]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/measures.h"
#include "bench/nn/timed_primitive.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/backend/own/own_weight_gradient.h"
#include "nn/kernel_contract.h"

namespace {

using namespace dl::nn;  // NOLINT: a program of one page
using dl::bench::ThreadSeconds;
using dl::bench::TimedPrimitive;

struct Layer {
  const char* name;
  int64_t in_channels, out_channels, image, kernel, stride, pad;
};

// resnet-32 and resnet50-32: the networks for ImageNet with images of 32 x 32. resnet-cifar: their
// form for small images.
constexpr Layer kLayers[] = {
    {"lenet_a", 1, 20, 28, 5, 1, 0},
    {"lenet_a", 20, 50, 12, 5, 1, 0},
    {"lenet5", 3, 6, 32, 5, 1, 0},
    {"lenet5", 6, 16, 14, 5, 1, 0},
    {"resnet-32", 3, 64, 32, 7, 2, 3},
    {"resnet-32", 64, 64, 8, 3, 1, 1},
    {"resnet-32", 64, 128, 8, 3, 2, 1},
    {"resnet-32", 64, 128, 8, 1, 2, 0},
    {"resnet-32", 128, 128, 4, 3, 1, 1},
    {"resnet-32", 128, 256, 4, 3, 2, 1},
    {"resnet-32", 128, 256, 4, 1, 2, 0},
    {"resnet-32", 256, 256, 2, 3, 1, 1},
    {"resnet-32", 256, 512, 2, 3, 2, 1},
    {"resnet-32", 256, 512, 2, 1, 2, 0},
    {"resnet-32", 512, 512, 1, 3, 1, 1},
    {"resnet50-32", 64, 256, 8, 1, 1, 0},
    {"resnet50-32", 256, 64, 8, 1, 1, 0},
    {"resnet50-32", 128, 512, 4, 1, 1, 0},
    {"resnet50-32", 256, 512, 8, 1, 2, 0},
    {"resnet50-32", 512, 256, 4, 1, 1, 0},
    {"resnet50-32", 256, 1024, 2, 1, 1, 0},
    {"resnet50-32", 512, 1024, 4, 1, 2, 0},
    {"resnet50-32", 512, 2048, 1, 1, 1, 0},
    {"resnet50-32", 1024, 2048, 2, 1, 2, 0},
    {"resnet50-32", 512, 512, 2, 3, 2, 1},
    {"resnet-cifar", 3, 64, 32, 3, 1, 1},
    {"resnet-cifar", 64, 64, 32, 3, 1, 1},
    {"resnet-cifar", 64, 128, 32, 3, 2, 1},
    {"resnet-cifar", 64, 128, 32, 1, 2, 0},
    {"resnet-cifar", 128, 128, 16, 3, 1, 1},
    {"resnet-cifar", 128, 256, 16, 3, 2, 1},
    {"resnet-cifar", 256, 256, 8, 3, 1, 1},
    {"resnet-cifar", 256, 512, 8, 3, 2, 1},
    {"resnet-cifar", 512, 512, 4, 3, 1, 1},
    {"resnet50-cifar", 64, 256, 32, 1, 1, 0},
    {"resnet50-cifar", 256, 64, 32, 1, 1, 0},
    {"resnet50-cifar", 128, 512, 16, 1, 1, 0},
    {"resnet50-cifar", 256, 1024, 8, 1, 1, 0},
    {"resnet50-cifar", 1024, 256, 8, 1, 1, 0},
    {"resnet50-cifar", 512, 2048, 4, 1, 1, 0},
    {"resnet50-cifar", 2048, 512, 4, 1, 1, 0},
    {"vgg16", 64, 128, 16, 3, 1, 1},
    {"vgg16", 128, 256, 8, 3, 1, 1},
    {"vgg16", 256, 512, 4, 3, 1, 1},
    {"vgg16", 512, 512, 2, 3, 1, 1},
    {"alexnet", 96, 256, 27, 5, 1, 2},
    {"alexnet", 256, 384, 13, 3, 1, 1},
    {"unet", 1, 64, 64, 3, 1, 1},
    {"unet", 128, 128, 64, 3, 1, 1},
    {"unet", 1024, 512, 16, 3, 1, 1},
    {"small", 16, 16, 32, 3, 1, 1},
    {"small", 32, 32, 16, 3, 1, 1},
    {"small", 4, 8, 14, 3, 1, 1},
    {"small", 2, 32, 28, 3, 1, 1},
};

ConvolutionGeometry GeometryOf(const Layer& l, int64_t batch) {
  const int64_t out = (l.image + 2 * l.pad - l.kernel) / l.stride + 1;
  const int64_t after = std::max<int64_t>(0, (out - 1) * l.stride + l.kernel - l.image - l.pad);
  return {.batch = batch,
          .in_channels = l.in_channels,
          .out_channels = l.out_channels,
          .has_bias = false,
          .window = {.in = {l.image, l.image},
                     .out = {out, out},
                     .kernel = {l.kernel, l.kernel},
                     .stride = {l.stride, l.stride},
                     .dilation = {1, 1},
                     .pad_before = {l.pad, l.pad},
                     .pad_after = {after, after}}};
}

// Multiplications and additions of a run that meet no padding.
double RealOperations(const Layer& l, const ConvolutionGeometry& g) {
  int64_t of_axis = 0;
  for (int64_t k = 0; k < l.kernel; ++k) {
    for (int64_t i = 0; i < g.window.out[0]; ++i) {
      const int64_t at = i * l.stride + k - l.pad;
      of_axis += at >= 0 && at < l.image ? 1 : 0;
    }
  }
  return 2.0 * static_cast<double>(of_axis * of_axis * g.batch * l.in_channels * l.out_channels);
}

int Compare(const Layer& l, int64_t batch, Isa isa) {
  constexpr double kPatience = 0.15;  // seconds
  constexpr int kFewestRuns = 4;
  const ConvolutionGeometry g = GeometryOf(l, batch);
  const auto onednn = OnednnConvolutionBackwardWeights(g, Layout(), Layout());
  const auto chosen = ConvolutionBackwardWeights(g, Layout(), Layout());
  if (!onednn.ok() || !chosen.ok() || !CanComputeOwnWeightGradient(g, isa)) {
    std::fprintf(stderr, "%s: no kernel\n", l.name);
    return 1;
  }
  constexpr float kFill = 0.5f;
  TimedPrimitive theirs(onednn, kFill), ours(OwnConvolutionBackwardWeights(g, isa), kFill);
  const double start = ThreadSeconds();
  for (int i = 0; i < kFewestRuns || ThreadSeconds() - start < kPatience; ++i) {
    theirs.Measure();
    ours.Measure();
  }
  std::printf(
      "%-14s %4ld > %-4ld %3ld x %-3ld %ldx%ld/%ld  onednn %8.3f ms  own %8.3f ms  "
      "ratio %5.2f  own %5.1f GFLOP/s without padding  chosen: %s\n",
      l.name, static_cast<long>(l.in_channels), static_cast<long>(l.out_channels),
      static_cast<long>(g.window.out[0]), static_cast<long>(g.window.out[1]),
      static_cast<long>(l.kernel), static_cast<long>(l.kernel), static_cast<long>(l.stride),
      theirs.least_s() * 1e3, ours.least_s() * 1e3, theirs.least_s() / ours.least_s(),
      RealOperations(l, g) / ours.least_s() / 1e9, chosen->name().c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto isa = argc > 1 ? IsaFromName(argv[1]) : DetectBestIsa();
  const int64_t batch = argc > 2 ? std::atoll(argv[2]) : 42;
  const char* const name = argc > 3 ? argv[3] : "";
  if (!isa.ok() || !SetProcessIsa(*isa).ok() || batch < 1) {
    std::fprintf(stderr, "weight_gradient [avx2|avx512 [BATCH [NAME]]]\n");
    return 2;
  }
  const ComputeScope scope(/*threads=*/1);
  for (const Layer& l : kLayers) {
    if (std::strstr(l.name, name) != nullptr && Compare(l, batch, *isa) != 0) return 1;
  }
  return 0;
}
