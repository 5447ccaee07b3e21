// Compares the project's convolutions of blocked images with oneDNN's on one thread: CPU time of
// the output and of the gradient of the input, the least of many repeats that alternate, for the
// layers of well-known networks. The table in nn/backend/convolution_choice.cc follows from it.
// oneDNN's gradient includes the copy of the weights to its layout, if it has another one than the
// output. The own gradient reads the weights of the output.
//
// convolutions [avx2|avx512 [BATCH [NAME]]]
#include <cstdio>
#include <optional>
#include <string>

#include "bench/measures.h"
#include "bench/nn/convolution_layers.h"
#include "bench/nn/timed_primitive.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/backend/own/own_convolution.h"
#include "nn/kernel_contract.h"

namespace {

using namespace dl::nn;  // NOLINT: a program of one page
using dl::bench::ConvolutionLayer;
using dl::bench::ThreadSeconds;
using dl::bench::TimedPrimitive;

constexpr float kFill = 0.5f;

// A kernel of oneDNN after the copy of its weights, and the own kernel.
struct Rivals {
  std::optional<TimedPrimitive> copy;
  TimedPrimitive onednn, own;

  double OnednnSeconds() const { return onednn.least_s() + (copy ? copy->least_s() : 0.0); }
  void Measure() {
    constexpr double kTimeout = 0.1;  // seconds
    constexpr int kFewestRuns = 4;
    const double start = ThreadSeconds();
    for (int i = 0; i < kFewestRuns || ThreadSeconds() - start < kTimeout; ++i) {
      if (copy) copy->Measure();
      onednn.Measure();
      own.Measure();
    }
  }
};

void Print(const char* direction, const Rivals& rivals, double operations, bool is_chosen) {
  std::printf("  %s: onednn %8.3f ms  own %8.3f ms  ratio %5.2f  own %5.1f GFLOP/s  chosen: %s\n",
              direction, rivals.OnednnSeconds() * 1e3, rivals.own.least_s() * 1e3,
              rivals.OnednnSeconds() / rivals.own.least_s(),
              operations / rivals.own.least_s() / 1e9, is_chosen ? "own" : "onednn");
}

int Compare(const ConvolutionLayer& l, int64_t batch, Isa isa) {
  const ConvolutionGeometry g = GeometryOf(l, batch);
  if (!CanComputeBlockedConvolution(g, isa)) return 0;
  const auto forward = OnednnConvolutionForward(g, Layout());
  const auto backward = OnednnConvolutionBackwardData(g, Layout());
  const auto chosen = ConvolutionForward(g, Layout());
  const auto chosen_gradient = ConvolutionBackwardData(g, Layout());
  if (!forward.ok() || !backward.ok() || !chosen.ok() || !chosen_gradient.ok()) {
    std::fprintf(stderr, "%s: no kernel\n", l.name);
    return 1;
  }
  Rivals output{std::nullopt, TimedPrimitive(forward, kFill),
                TimedPrimitive(OwnBlockedConvolutionForward(g, isa), kFill)};
  Rivals gradient{std::nullopt, TimedPrimitive(backward, kFill),
                  TimedPrimitive(OwnBlockedConvolutionBackwardData(g, isa), kFill)};
  const Layout from = forward->layout(Role::kWeights), to = backward->layout(Role::kWeights);
  if (!(from == to)) gradient.copy.emplace(Reorder(from, to), kFill);
  output.Measure();
  gradient.Measure();
  std::printf("%s %ld > %ld  %ld x %ld  %ldx%ld/%ld\n", l.name, static_cast<long>(l.in_channels),
              static_cast<long>(l.out_channels), static_cast<long>(g.window.out[0]),
              static_cast<long>(g.window.out[1]), static_cast<long>(l.kernel),
              static_cast<long>(l.kernel), static_cast<long>(l.stride));
  const double operations = OperationsWithoutPadding(l, g);
  Print("output  ", output, operations, chosen->name().starts_with("own:"));
  Print("gradient", gradient, operations, chosen_gradient->name().starts_with("own:"));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return dl::bench::CompareLayers(argc, argv, "convolutions", Compare);
}
