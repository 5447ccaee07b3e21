// The engine's tensors against the reference's, by their norms.
#pragma once

#include <span>

#include "base/segment_table.h"
#include "nn/network.h"
#include "tests/gradient/example.h"

namespace dl::gradient {

inline constexpr double kTolerance = 1e-5;  // of each tensor's norm

// |got - want| <= kTolerance |want| for each segment that `got` reaches.
void ExpectClose(const SegmentTable& table, std::span<const float> got,
                 std::span<const double> want);
void ExpectLossClose(const nn::MetricSums& sums, double want);

// A network with the example's state; null after a test failure.
std::unique_ptr<nn::Network> MakeEngine(const nn::ModelConfig& model, const Example& example,
                                        int threads);
std::vector<float> StateOf(const nn::Network& network);

}  // namespace dl::gradient
