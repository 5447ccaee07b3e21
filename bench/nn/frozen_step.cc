// Measures the time saved by frozen layers: milliseconds per training step, on one thread, of eight
// convolutions below a trained output layer, once trained and once frozen.
//
// frozen_step [BATCH [STEPS]]
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/measures.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"

namespace {

using namespace dl::nn;  // NOLINT: a program of one page

constexpr int kConvolutions = 8, kImage = 32, kChannels = 32;

enum class Trunk { kTrained, kFrozen };

// Returns the median time of a step. Negative after an error, which is printed.
double MedianMs(Trunk trunk, int64_t examples, int steps) {
  Sequential sequential("trunk");
  sequential.Updater(Nesterov(0.01)).Input(Image(3, kImage, kImage));
  for (int i = 0; i < kConvolutions; ++i) {
    Conv2D conv = Conv2D(kChannels).Kernel(3).Padding(1).Activation(Relu());
    if (trunk == Trunk::kFrozen) conv.Frozen();
    sequential.Layer(conv);
  }
  const auto model =
      sequential.Layer(GlobalAvgPool2D()).Layer(Output(10).Loss(SoftmaxCrossEntropy())).Build();
  auto network = Network::Create(*model, {.max_batch = examples});
  if (!network.ok() || !(*network)->Load(InitialState(*model, 1)).ok()) {
    std::fprintf(stderr, "%s\n", dl::DescribeError(network.status()).c_str());
    return -1;
  }
  std::vector<float> features(examples * 3 * kImage * kImage);
  std::vector<int32_t> labels(examples);
  for (size_t i = 0; i < features.size(); ++i)
    features[i] = static_cast<float>((i * 2654435761u >> 20) % 256) / 255.0f;
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int32_t>(i % 10);
  std::vector<double> times;
  for (int s = 0; s < steps; ++s) {
    const double start = dl::bench::ThreadSeconds();
    const auto sums =
        (*network)->TrainStep({.examples = examples, .features = features, .labels = labels},
                              {.step = s, .learning_rate = 0.01, .update_count = s + 1});
    times.push_back(1e3 * (dl::bench::ThreadSeconds() - start));
    if (!sums.ok()) return -1;
  }
  return dl::bench::Median(times);
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t examples = argc > 1 ? std::atoll(argv[1]) : 32;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 15;
  if (examples < 1 || steps < 1) {
    std::fprintf(stderr, "frozen_step [BATCH [STEPS]]\n");
    return 2;
  }
  const double trained = MedianMs(Trunk::kTrained, examples, steps);
  const double frozen = MedianMs(Trunk::kFrozen, examples, steps);
  if (trained < 0 || frozen < 0) return 1;
  std::printf("trained %.2f ms, frozen %.2f ms, ratio %.2f\n", trained, frozen, trained / frozen);
  return 0;
}
