// Measures milliseconds per training step of LeNet on one thread. The layers are lenet_a of the
// benchmark against other frameworks: conv 20@5x5 tanh, pool, conv 50@5x5 tanh, pool, dense 500
// tanh, output 10.
//
// lenet_step [BATCH [STEPS]]
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/kernel_contract.h"
#include "nn/network.h"

namespace {

using namespace dl::nn;  // NOLINT: a program of one page

// Processor time of this thread. On a shared machine it is more accurate than the wall clock.
double CpuMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

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
    const double cpu_start = CpuMs();
    const auto start = std::chrono::steady_clock::now();
    const auto sums =
        (*network)->TrainStep({.examples = examples, .features = features, .labels = labels},
                              {.step = s, .learning_rate = 0.01, .update_count = s + 1});
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    if (!sums.ok()) return 1;
    times.push_back(elapsed.count());
    cpu.push_back(CpuMs() - cpu_start);
    if (s == 0 || s == steps - 1) std::printf("step %d loss %.5f\n", s, sums->loss());
  }
  std::sort(times.begin(), times.end());
  std::sort(cpu.begin(), cpu.end());
  std::printf("%s\nbatch %lld: wall min %.2f median %.2f ms, cpu min %.2f median %.2f ms\n",
              KernelContractId(*ProcessIsa()).c_str(), static_cast<long long>(examples),
              times.front(), times[times.size() / 2], cpu.front(), cpu[cpu.size() / 2]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 3 && std::string_view(argv[3]) == "avx2" && !SetProcessIsa(Isa::kAvx2).ok()) return 1;
  return Run(argc > 1 ? std::atoll(argv[1]) : 128, argc > 2 ? std::atoi(argv[2]) : 50);
}
