#include "nn/backend/own/own_batch_normalization.h"

#include <utility>

#include "nn/backend/own/own_kernel.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/step_norm.h"

namespace dl::nn {
namespace {

// Pixels as the steps of one sequence.
SequenceShape PixelsOf(const BatchNormalizationGeometry& g) {
  const int64_t channels = g.source.dims()[1];
  return {.examples = 1, .steps = g.source.elements() / channels, .n = channels};
}

Layout ChannelsOf(const BatchNormalizationGeometry& g) {
  const int64_t channels = g.source.dims()[1];
  return Layout::Plain({&channels, 1});
}

StepNorm NormOf(const SequenceShape& pixels, double epsilon, const BufferPointers& buffers) {
  return {.steps = pixels,
          .epsilon = epsilon,
          .gamma = buffers.Get<const float>(Role::kScale),
          .mean = buffers.Get<const float>(Role::kMean),
          .variance = buffers.Get<const float>(Role::kVariance)};
}

template <typename Body>
void ForChannels(const SequenceShape& pixels, const Body& body) {
  ForColumns(pixels.n, pixels.steps, [&](int64_t begin, int64_t end) {
    body(IndexRange{begin, end});
  });
}

}  // namespace

Primitive OwnBatchNormalizationForward(const BatchNormalizationGeometry& g) {
  const SequenceShape pixels = PixelsOf(g);
  const Layout channels = ChannelsOf(g);
  Kernel::Layouts layouts = {{Role::kSource, g.source}, {Role::kDestination, g.source},
                             {Role::kMean, channels},   {Role::kVariance, channels},
                             {Role::kScale, channels},  {Role::kShift, channels}};
  const bool of_batch = g.statistics == BatchStatistics::kOfBatch;
  const int64_t sums = pixels.n * 2;  // doubles, as floats
  if (of_batch) layouts.emplace(Role::kScratchpad, Layout::Plain({&sums, 1}));
  return OwnPrimitive("batch_normalization", std::move(layouts),
                      [pixels, of_batch, epsilon = g.epsilon](const BufferPointers& buffers) {
                        const auto* const x = buffers.Get<const float>(Role::kSource);
                        const StepNorm norm = NormOf(pixels, epsilon, buffers);
                        ForChannels(pixels, [&](IndexRange part) {
                          if (of_batch) {
                            MomentsOfSteps(pixels, part, x, buffers.Get<float>(Role::kMean),
                                           buffers.Get<float>(Role::kVariance),
                                           buffers.Get<double>(Role::kScratchpad));
                          }
                          StepNormForward(norm, part, x, buffers.Get<const float>(Role::kShift),
                                          buffers.Get<float>(Role::kDestination));
                        });
                      });
}

Primitive OwnBatchNormalizationBackward(const BatchNormalizationGeometry& g) {
  const SequenceShape pixels = PixelsOf(g);
  const Layout channels = ChannelsOf(g);
  const StepMoments moments =
      g.statistics == BatchStatistics::kOfBatch ? StepMoments::kOfSteps : StepMoments::kGiven;
  return OwnPrimitive("batch_normalization",
                      {{Role::kSource, g.source},
                       {Role::kMean, channels},
                       {Role::kVariance, channels},
                       {Role::kScale, channels},
                       {Role::kDiffDestination, g.source},
                       {Role::kDiffSource, g.source},
                       {Role::kDiffScale, channels},
                       {Role::kDiffShift, channels}},
                      [pixels, moments, epsilon = g.epsilon](const BufferPointers& buffers) {
                        const StepNorm norm = NormOf(pixels, epsilon, buffers);
                        ForChannels(pixels, [&](IndexRange part) {
                          StepNormBackward(norm, part, moments,
                                           buffers.Get<const float>(Role::kSource),
                                           buffers.Get<const float>(Role::kDiffDestination),
                                           {.dx = buffers.Get<float>(Role::kDiffSource),
                                            .dgamma = buffers.Get<float>(Role::kDiffScale),
                                            .dbeta = buffers.Get<float>(Role::kDiffShift)});
                        });
                      });
}

}  // namespace dl::nn
