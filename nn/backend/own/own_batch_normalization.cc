#include "nn/backend/own/own_batch_normalization.h"

#include <utility>

#include "nn/backend/own/own_kernel.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/batch_norm_kernels.h"

namespace dl::nn {
namespace {

// Pixels as rows.
BatchNormRows RowsOf(const BatchNormalizationGeometry& g) {
  const int64_t channels = g.source.dims()[1];
  return {.rows = g.source.elements() / channels, .channels = channels, .epsilon = g.epsilon};
}

BatchNormRows Bound(BatchNormRows rows, const BufferPointers& buffers) {
  rows.gamma = buffers.Get<const float>(Role::kScale);
  rows.mean = buffers.Get<const float>(Role::kMean);
  rows.variance = buffers.Get<const float>(Role::kVariance);
  return rows;
}

Layout ChannelsOf(const BatchNormRows& rows) { return Layout::Plain({&rows.channels, 1}); }

template <typename Body>
void ForChannels(const BatchNormRows& rows, const Body& body) {
  ForColumns(rows.channels, rows.rows, [&](int64_t begin, int64_t end) {
    body(IndexRange{begin, end});
  });
}

}  // namespace

Primitive OwnBatchNormalizationForward(const BatchNormalizationGeometry& g) {
  const BatchNormRows rows = RowsOf(g);
  const Layout channels = ChannelsOf(rows);
  const bool of_batch = g.statistics == BatchStatistics::kOfBatch;
  return OwnPrimitive("batch_normalization",
                      {{Role::kSource, g.source},
                       {Role::kDestination, g.source},
                       {Role::kMean, channels},
                       {Role::kVariance, channels},
                       {Role::kScale, channels},
                       {Role::kShift, channels}},
                      [rows, of_batch](const BufferPointers& buffers) {
                        const auto* const x = buffers.Get<const float>(Role::kSource);
                        const BatchNormRows norm = Bound(rows, buffers);
                        ForChannels(rows, [&](IndexRange part) {
                          if (of_batch) {
                            BatchNormMoments(norm, part, x, buffers.Get<float>(Role::kMean),
                                             buffers.Get<float>(Role::kVariance));
                          }
                          BatchNormForward(norm, part, x, buffers.Get<const float>(Role::kShift),
                                           buffers.Get<float>(Role::kDestination));
                        });
                      });
}

Primitive OwnBatchNormalizationBackward(const BatchNormalizationGeometry& g) {
  const BatchNormRows rows = RowsOf(g);
  const Layout channels = ChannelsOf(rows);
  const bool of_batch = g.statistics == BatchStatistics::kOfBatch;
  return OwnPrimitive("batch_normalization",
                      {{Role::kSource, g.source},
                       {Role::kMean, channels},
                       {Role::kVariance, channels},
                       {Role::kScale, channels},
                       {Role::kDiffDestination, g.source},
                       {Role::kDiffSource, g.source},
                       {Role::kDiffScale, channels},
                       {Role::kDiffShift, channels}},
                      [rows, of_batch](const BufferPointers& buffers) {
                        const BatchNormRows norm = Bound(rows, buffers);
                        ForChannels(rows, [&](IndexRange part) {
                          BatchNormBackward(norm, part, of_batch,
                                            buffers.Get<const float>(Role::kSource),
                                            buffers.Get<const float>(Role::kDiffDestination),
                                            {.dx = buffers.Get<float>(Role::kDiffSource),
                                             .dgamma = buffers.Get<float>(Role::kDiffScale),
                                             .dbeta = buffers.Get<float>(Role::kDiffShift)});
                        });
                      });
}

}  // namespace dl::nn
