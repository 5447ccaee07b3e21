// Compares oneDNN's convolutions by Winograd's method with the kernels that would be chosen without
// them, on one thread: CPU time of the output and of both gradients, the least of many repeats that
// alternate, for the layers of well-known networks. nn/conf/winograd.cc follows from it. Gradients
// of the input include the copy of the weights to the kernel's layout.
//
// winograd [avx512 [BATCH [NAME]]]
#include <cstdio>
#include <optional>

#include "bench/measures.h"
#include "bench/nn/convolution_layers.h"
#include "bench/nn/timed_primitive.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/backend/own/own_weight_gradient.h"
#include "nn/backend/winograd_choice.h"
#include "nn/kernel_contract.h"

namespace {

using namespace dl::nn;  // NOLINT: a program of one page
using dl::bench::ConvolutionLayer;
using dl::bench::ThreadSeconds;
using dl::bench::TimedPrimitive;

constexpr float kFill = 0.5f;

// A kernel, after the copy of the weights from the layout between steps to the kernel's.
struct Measured {
  Measured(const dl::StatusOr<Primitive>& kernel, const Layout& weights)
      : primitive(kernel, kFill) {
    const Layout wanted = kernel->layout(Role::kWeights);
    if (!wanted.empty() && !(wanted == weights)) copy.emplace(Reorder(weights, wanted), kFill);
  }
  void Measure() {
    if (copy) copy->Measure();
    primitive.Measure();
  }
  double Seconds() const { return primitive.least_s() + (copy ? copy->least_s() : 0.0); }

  std::optional<TimedPrimitive> copy;
  TimedPrimitive primitive;
};

int Print(const char* result, const dl::StatusOr<Primitive>& direct,
          const dl::StatusOr<Primitive>& winograd, const Layout& weights, double operations,
          bool is_chosen) {
  constexpr double kPatience = 0.1;  // seconds
  constexpr int kFewestRuns = 4;
  if (!direct.ok() || !winograd.ok()) {
    std::fprintf(stderr, "%s: no kernel\n", result);
    return 1;
  }
  Measured one(direct, weights), other(winograd, weights);
  const double start = ThreadSeconds();
  for (int i = 0; i < kFewestRuns || ThreadSeconds() - start < kPatience; ++i) {
    one.Measure();
    other.Measure();
  }
  std::printf("  %s: direct %8.3f ms %5.0f GFLOP/s  winograd %8.3f ms  ratio %5.2f  chosen: %s\n",
              result, one.Seconds() * 1e3, operations / one.Seconds() / 1e9, other.Seconds() * 1e3,
              one.Seconds() / other.Seconds(), is_chosen ? "winograd" : "direct");
  return 0;
}

int Compare(const ConvolutionLayer& l, int64_t batch, Isa isa) {
  const ConvolutionGeometry g = GeometryOf(l, batch);
  if (isa == Isa::kAvx2 || !CanUseWinograd(g)) return 0;
  const auto forward = OnednnConvolutionForward(g, Layout());
  if (!forward.ok()) return 1;
  const Layout weights = forward->layout(Role::kWeights);
  const double operations = OperationsWithoutPadding(l, g);
  const bool images = WinogradIsChosen(g, Isa::kAvx512, WinogradResult::kImages);
  const bool of_weights = WinogradIsChosen(g, Isa::kAvx512, WinogradResult::kWeights);
  std::printf("%s %ld > %ld  %ld x %ld\n", l.name, static_cast<long>(l.in_channels),
              static_cast<long>(l.out_channels), static_cast<long>(g.window.out[0]),
              static_cast<long>(g.window.out[1]));
  const bool fails =
      Print("output  ", forward, OnednnWinogradForward(g), weights, operations, images) != 0 ||
      Print("gradient", OnednnConvolutionBackwardData(g, Layout()), OnednnWinogradBackwardData(g),
            weights, operations, images) != 0 ||
      Print("weights ",
            CanComputeOwnWeightGradient(g, Isa::kAvx512)
                ? OwnConvolutionBackwardWeights(g, Isa::kAvx512)
                : OnednnConvolutionBackwardWeights(g, Layout(), Layout()),
            OnednnWinogradBackwardWeights(g), weights, operations, of_weights) != 0;
  return fails ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return dl::bench::CompareLayers(argc, argv, "winograd", Compare);
}
