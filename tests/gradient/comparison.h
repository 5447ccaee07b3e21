// Compares tensors of the engine with tensors of the reference by their norms.
#pragma once

#include <span>

#include "base/segment_table.h"
#include "nn/network.h"
#include "tests/gradient/example.h"

namespace dl::gradient {

inline constexpr double kTolerance = 1e-5;  // relative to the norm of each tensor

// Expects |got - want| <= kTolerance |want| for each segment of `got`.
void ExpectClose(const SegmentTable& table, std::span<const float> got,
                 std::span<const double> want);
void ExpectLossClose(const nn::MetricSums& sums, double want);

// Returns a network with the example's state, or null and a test failure.
std::unique_ptr<nn::Network> MakeEngine(const nn::ModelConfig& model, const Example& example,
                                        int threads,
                                        nn::KernelSet kernels = nn::KernelSet::kNative);
std::vector<float> StateOf(const nn::Network& network);

}  // namespace dl::gradient
