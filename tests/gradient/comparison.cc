#include "tests/gradient/comparison.h"

#include <cmath>

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::gradient {

void ExpectClose(const SegmentTable& table, std::span<const float> got,
                 std::span<const double> want) {
  ASSERT_EQ(got.size(), want.size());
  for (const Segment& segment : table.segments()) {
    if (segment.offset + segment.size > static_cast<int64_t>(got.size())) continue;
    double error = 0, norm = 0;
    for (int64_t i = segment.offset; i < segment.offset + segment.size; ++i) {
      error = std::hypot(error, got[i] - want[i]);
      norm = std::hypot(norm, want[i]);
    }
    EXPECT_LE(error, kTolerance * norm) << segment.name << ", norm " << norm;
  }
}

void ExpectLossClose(const nn::MetricSums& sums, double want) {
  constexpr double kRoundingOfFloats = 0x1.0p-24;  // remains of values that cancel
  EXPECT_NEAR(sums.loss(), want, kTolerance * std::abs(want) + kRoundingOfFloats);
}

std::unique_ptr<nn::Network> MakeEngine(const nn::ModelConfig& model, const Example& example,
                                        int threads, nn::KernelSet kernels) {
  auto network = nn::Network::Create(
      model, {.max_batch = example.examples, .threads = threads, .kernels = kernels});
  EXPECT_THAT(network, test::IsOk());
  if (!network.ok()) return nullptr;
  EXPECT_THAT((*network)->Load(example.state), test::IsOk());
  return *std::move(network);
}

std::vector<float> StateOf(const nn::Network& network) {
  std::vector<float> state(network.table().size());
  EXPECT_THAT(network.Store(state), test::IsOk());
  return state;
}

}  // namespace dl::gradient
