// Compares the project's kernels of dense layers with oneDNN's in float32 on one thread: CPU time
// of a run, the least of many repeats that alternate, for the layers of well-known networks. The
// choice in nn/backend/dense_gradient_choice.cc follows from it.
//
// dense_products [avx2|avx512]
#include <cstdio>

#include "bench/measures.h"
#include "bench/nn/timed_primitive.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/backend/own/own_products.h"
#include "nn/kernel_contract.h"

namespace {

using namespace dl::nn;  // NOLINT: a program of one page
using dl::bench::ThreadSeconds;
using dl::bench::TimedPrimitive;

struct Layer {
  const char* name;
  int64_t rows, inputs, outputs;
};

constexpr Layer kLayers[] = {
    {"mlp", 128, 784, 1024},        {"mlp", 128, 1024, 1024},      {"mlp", 128, 1024, 10},
    {"gpt", 2048, 256, 256},        {"gpt", 2048, 256, 768},       {"gpt", 2048, 256, 1024},
    {"gpt", 2048, 1024, 256},       {"bert", 512, 768, 768},       {"bert", 512, 768, 3072},
    {"bert", 512, 3072, 768},       {"word_lstm", 600, 200, 800},  {"word_lstm", 600, 200, 10000},
    {"char_lstm", 1600, 256, 1024}, {"lenet_a", 128, 800, 500},    {"lenet_a", 128, 500, 10},
    {"alexnet", 42, 9216, 4096},    {"alexnet", 42, 4096, 4096},   {"resnet", 42, 512, 1000},
    {"autoencoder", 128, 784, 512}, {"autoencoder", 128, 512, 256}};

void Compare(const Layer& l, const char* direction, const dl::StatusOr<Primitive>& onednn,
             const dl::StatusOr<Primitive>& own) {
  constexpr double kTimeout = 0.2;  // seconds
  constexpr int kFewestRuns = 4;
  TimedPrimitive theirs(onednn, 0.5f), ours(own, 0.5f);
  const double start = ThreadSeconds();
  for (int i = 0; i < kFewestRuns || ThreadSeconds() - start < kTimeout; ++i) {
    theirs.Measure();
    ours.Measure();
  }
  const double operations = 2e-9 * static_cast<double>(l.rows * l.inputs * l.outputs);
  std::printf(
      "%-12s %4ld rows %5ld > %-5ld %-16s onednn %7.3f ms %6.1f GFLOP/s  own %7.3f ms %6.1f "
      "GFLOP/s  ratio %5.2f\n",
      l.name, static_cast<long>(l.rows), static_cast<long>(l.inputs), static_cast<long>(l.outputs),
      direction, theirs.least_s() * 1e3, operations / theirs.least_s(), ours.least_s() * 1e3,
      operations / ours.least_s(), theirs.least_s() / ours.least_s());
}

}  // namespace

int main(int argc, char** argv) {
  const auto isa = argc > 1 ? IsaFromName(argv[1]) : DetectBestIsa();
  if (!isa.ok() || !SetProcessIsa(*isa).ok()) {
    std::fprintf(stderr, "dense_products [avx2|avx512]\n");
    return 2;
  }
  const ComputeScope scope(/*threads=*/1);
  for (const Layer& l : kLayers) {
    const InnerProductGeometry g{.source = {l.rows, l.inputs}, .outputs = l.outputs};
    const Layout any;
    Compare(l, "forward", OnednnInnerProductForward(g, any), OwnInnerProductForward(g));
    Compare(l, "backward data", OnednnInnerProductBackwardData(g, any),
            OwnInnerProductBackwardData(g));
    Compare(l, "backward weights", OnednnInnerProductBackwardWeights(g, any, any),
            OwnInnerProductBackwardWeights(g));
  }
  return 0;
}
