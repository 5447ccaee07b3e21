#include "nn/kernels/batch_norm_kernels.h"

#include <algorithm>
#include <cmath>

#include "nn/kernels/clones.h"

namespace dl::nn {
namespace {

constexpr int64_t kRowsOfBlock = 256;     // rows
constexpr int64_t kChannelsOfGroup = 64;  // channels that are computed at a time

// The channels of a group, and what normalizes them.
struct Group {
  int64_t first = 0, width = 0;
  float mean[kChannelsOfGroup], scale[kChannelsOfGroup];
};

Group GroupOf(const BatchNormRows& norm, IndexRange channels, int64_t first) {
  Group group{.first = first, .width = std::min(kChannelsOfGroup, channels.end - first)};
  for (int64_t j = 0; j < group.width; ++j) {
    const int64_t c = first + j;
    group.mean[j] = norm.mean[c];
    group.scale[j] =
        static_cast<float>(1.0 / std::sqrt(static_cast<double>(norm.variance[c]) + norm.epsilon));
  }
  return group;
}

// Calls add_row(row, sums) for the rows of each block, and adds the sums of blocks to `totals`.
template <int kSums, typename AddRow>
DL_ALWAYS_INLINE void SumBlocksOfRows(int64_t rows, int64_t width,
                                      double (&totals)[kSums][kChannelsOfGroup],
                                      const AddRow& add_row) {
  for (auto& total : totals) std::fill_n(total, kChannelsOfGroup, 0.0);
  for (int64_t first = 0; first < rows; first += kRowsOfBlock) {
    float sums[kSums][kChannelsOfGroup] = {};
    const int64_t last = std::min(rows, first + kRowsOfBlock);
    for (int64_t row = first; row < last; ++row) add_row(row, sums);
    for (int s = 0; s < kSums; ++s)
      for (int64_t j = 0; j < width; ++j) totals[s][j] += static_cast<double>(sums[s][j]);
  }
}

}  // namespace

DL_ISA_CLONES void BatchNormMoments(const BatchNormRows& norm, IndexRange channels, const float* x,
                                    float* mean, float* variance) {
  const auto rows = static_cast<double>(norm.rows);
  for (int64_t first = channels.begin; first < channels.end; first += kChannelsOfGroup) {
    const int64_t width = std::min(kChannelsOfGroup, channels.end - first);
    const float* const from = x + first;
    float* const center = mean + first;
    double totals[1][kChannelsOfGroup];
    SumBlocksOfRows<1>(norm.rows, width, totals,
                       [&](int64_t row, float(&sums)[1][kChannelsOfGroup]) {
                         const float* const in = from + row * norm.channels;
                         for (int64_t j = 0; j < width; ++j) sums[0][j] += in[j];
                       });
    for (int64_t j = 0; j < width; ++j) center[j] = static_cast<float>(totals[0][j] / rows);
    SumBlocksOfRows<1>(norm.rows, width, totals,
                       [&](int64_t row, float(&sums)[1][kChannelsOfGroup]) {
                         const float* const in = from + row * norm.channels;
                         for (int64_t j = 0; j < width; ++j) {
                           const float distance = in[j] - center[j];
                           sums[0][j] += distance * distance;
                         }
                       });
    for (int64_t j = 0; j < width; ++j)
      variance[first + j] = static_cast<float>(totals[0][j] / rows);
  }
}

DL_ISA_CLONES void BatchNormForward(const BatchNormRows& norm, IndexRange channels, const float* x,
                                    const float* beta, float* y) {
  for (int64_t first = channels.begin; first < channels.end; first += kChannelsOfGroup) {
    Group group = GroupOf(norm, channels, first);
    for (int64_t j = 0; j < group.width; ++j) group.scale[j] *= norm.gamma[first + j];
    const float* const shift = beta + first;
    for (int64_t row = 0; row < norm.rows; ++row) {
      const float* const in = x + row * norm.channels + first;
      float* const out = y + row * norm.channels + first;
      DL_INDEPENDENT
      for (int64_t j = 0; j < group.width; ++j)
        out[j] = (in[j] - group.mean[j]) * group.scale[j] + shift[j];
    }
  }
}

DL_ISA_CLONES void BatchNormBackward(const BatchNormRows& norm, IndexRange channels, bool of_rows,
                                     const float* x, const float* dy,
                                     const BatchNormGradients& out) {
  const auto rows = static_cast<double>(norm.rows);
  for (int64_t first = channels.begin; first < channels.end; first += kChannelsOfGroup) {
    const Group group = GroupOf(norm, channels, first);
    double totals[2][kChannelsOfGroup];
    SumBlocksOfRows<2>(norm.rows, group.width, totals,
                       [&](int64_t row, float(&sums)[2][kChannelsOfGroup]) {
                         const float* const in = x + row * norm.channels + first;
                         const float* const d_out = dy + row * norm.channels + first;
                         for (int64_t j = 0; j < group.width; ++j) {
                           sums[0][j] += d_out[j] * ((in[j] - group.mean[j]) * group.scale[j]);
                           sums[1][j] += d_out[j];
                         }
                       });
    float along[kChannelsOfGroup], all[kChannelsOfGroup], factor[kChannelsOfGroup];
    for (int64_t j = 0; j < group.width; ++j) {
      out.dgamma[first + j] = static_cast<float>(totals[0][j]);
      out.dbeta[first + j] = static_cast<float>(totals[1][j]);
      along[j] = static_cast<float>(of_rows ? totals[0][j] / rows : 0.0);
      all[j] = static_cast<float>(of_rows ? totals[1][j] / rows : 0.0);
      factor[j] = group.scale[j] * norm.gamma[first + j];
    }
    for (int64_t row = 0; row < norm.rows; ++row) {
      const float* const in = x + row * norm.channels + first;
      const float* const d_out = dy + row * norm.channels + first;
      float* const dx = out.dx + row * norm.channels + first;
      DL_INDEPENDENT
      for (int64_t j = 0; j < group.width; ++j) {
        const float normalized = (in[j] - group.mean[j]) * group.scale[j];
        dx[j] = factor[j] * (d_out[j] - all[j] - normalized * along[j]);
      }
    }
  }
}

}  // namespace dl::nn
