// Compares the project's weight gradient of convolutions with oneDNN's on one thread: CPU time of a
// run, the least of many repeats that alternate, for the layers of well-known networks. The table
// in nn/backend/weight_gradient_choice.cc follows from it.
//
// weight_gradient [avx2|avx512 [BATCH [NAME]]]
#include <algorithm>
#include <cstdio>

#include "bench/measures.h"
#include "bench/nn/convolution_layers.h"
#include "bench/nn/timed_primitive.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/backend/own/own_weight_gradient.h"
#include "nn/kernel_contract.h"

namespace {

using namespace dl::nn;  // NOLINT: a program of one page
using dl::bench::ConvolutionLayer;
using dl::bench::ThreadSeconds;
using dl::bench::TimedPrimitive;

int Compare(const ConvolutionLayer& l, int64_t batch, Isa isa) {
  constexpr double kTimeout = 0.15;  // seconds
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
  for (int i = 0; i < kFewestRuns || ThreadSeconds() - start < kTimeout; ++i) {
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
      OperationsWithoutPadding(l, g) / ours.least_s() / 1e9, chosen->name().c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return dl::bench::CompareLayers(argc, argv, "weight_gradient", Compare);
}
