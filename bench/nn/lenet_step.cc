// Measures milliseconds per training step of LeNet on one thread. The layers are lenet_a of the
// benchmark against other frameworks: conv 20@5x5 tanh, pool, conv 50@5x5 tanh, pool, dense 500
// tanh, output 10.
//
// lenet_step [BATCH [STEPS]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/measures.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/kernel_contract.h"
#include "nn/network.h"

namespace {

using namespace dl::nn;  // NOLINT: a program of one page

int Run(int64_t examples, int steps) {
  const auto model = Sequential("lenet_a")
                         .Updater(Nesterov(0.01))
                         .WeightInit(Xavier())
                         .Input(Image(1, 28, 28))
                         .Layer(Conv2D(20).Kernel(5).Activation(Tanh()))
                         .Layer(MaxPool2D(2).Stride(2))
                         .Layer(Conv2D(50).Kernel(5).Activation(Tanh()))
                         .Layer(MaxPool2D(2).Stride(2))
                         .Layer(Dense(500).Activation(Tanh()))
                         .Layer(Output(10).Loss(SoftmaxCrossEntropy()))
                         .Build();
  auto network = Network::Create(*model, {.max_batch = examples});
  if (!network.ok()) {
    std::fprintf(stderr, "%s\n", dl::DescribeError(network.status()).c_str());
    return 1;
  }
  const std::vector<float> state = InitialState(*model, 1);
  if (!(*network)->Load(state).ok()) return 1;
  std::vector<float> features(examples * 784);
  std::vector<int32_t> labels(examples);
  for (size_t i = 0; i < features.size(); ++i)
    features[i] = static_cast<float>((i * 2654435761u >> 20) % 256) / 255.0f;
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int32_t>(i % 10);
  std::vector<double> times, cpu;
  for (int s = 0; s < steps; ++s) {
    const double cpu_start = dl::bench::ThreadSeconds();
    dl::StatusOr<MetricSums> sums;
    times.push_back(1e3 * dl::bench::SecondsOf([&] {
                      sums = (*network)->TrainStep(
                          {.examples = examples, .features = features, .labels = labels},
                          {.step = s, .learning_rate = 0.01, .update_count = s + 1});
                    }));
    cpu.push_back(1e3 * (dl::bench::ThreadSeconds() - cpu_start));
    if (!sums.ok()) return 1;
    if (s == 0 || s == steps - 1) std::printf("step %d loss %.5f\n", s, sums->loss());
  }
  std::printf("%s\nbatch %lld: wall min %.2f median %.2f ms, cpu min %.2f median %.2f ms\n",
              KernelContractId(*ProcessIsa()).c_str(), static_cast<long long>(examples),
              std::ranges::min(times), dl::bench::Median(times), std::ranges::min(cpu),
              dl::bench::Median(cpu));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 3 && std::string_view(argv[3]) == "avx2" && !SetProcessIsa(Isa::kAvx2).ok()) return 1;
  return Run(argc > 1 ? std::atoll(argv[1]) : 128, argc > 2 ? std::atoi(argv[2]) : 50);
}
