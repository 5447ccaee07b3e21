#include "nn/kernels/product/depthwise.h"

#include <algorithm>
#include <utility>

#include "nn/kernels/isa_target.h"
#include "nn/kernels/vectors.h"

namespace dl::nn {
namespace {

// result(c) = sum over k of source(k, c) * gradient(k, c), a chain of fused multiply-adds from +0.
struct ChannelSum {
  const PositionOffsets* offsets = nullptr;
  int64_t count = 0;
  const float* source = nullptr;
  const float* gradient = nullptr;
  float* result = nullptr;
  int64_t channels = 0;
  bool adds = false;  // to the values of `result`; otherwise they are overwritten
};

DL_TARGET_AVX2
namespace depthwise_avx2 {

using namespace vectors_avx2;
#include "nn/kernels/product/depthwise.inc"

}  // namespace depthwise_avx2
DL_TARGET_END

DL_TARGET_AVX512
namespace depthwise_avx512 {

using namespace vectors_avx512;
#include "nn/kernels/product/depthwise.inc"

}  // namespace depthwise_avx512
DL_TARGET_END

void SumChannels(int lanes, const ChannelSum& sum) {
  if (lanes == 16) {
    depthwise_avx512::SumChannels(sum);
  } else {
    depthwise_avx2::SumChannels(sum);
  }
}

}  // namespace

DepthwiseProduct::DepthwiseProduct(DepthwiseGeometry geometry) : g_(std::move(geometry)) {
  for (const RowClass& rows : g_.classes) {
    std::vector<std::vector<PositionOffsets>>& blocks = blocks_.emplace_back();
    int64_t block = -1;  // of the last tap
    for (const RowClass::Tap& tap : rows.taps) {
      if (tap.tap / kProductBlock != block) blocks.emplace_back();
      block = tap.tap / kProductBlock;
      blocks.back().push_back({.gradient = static_cast<int32_t>(tap.tap * g_.channels),
                               .source = static_cast<int32_t>(tap.source)});
    }
  }
}

void DepthwiseProduct::ComputeImages(const Buffers& b, IndexRange images) const {
  for (int64_t image = images.begin; image < images.end; ++image) {
    for (size_t i = 0; i < g_.classes.size(); ++i) {
      for (const RowClass::Row& row : g_.classes[i].rows) {
        ChannelSum sum{.source = b.source + image * g_.source_image + row.source,
                       .gradient = b.factor,
                       .result = b.result + image * g_.result_image + row.result,
                       .channels = g_.channels};
        if (blocks_[i].empty()) std::fill_n(sum.result, g_.channels, 0.0f);
        for (const std::vector<PositionOffsets>& taps : blocks_[i]) {
          sum.offsets = taps.data();
          sum.count = static_cast<int64_t>(taps.size());
          SumChannels(g_.lanes, sum);
          sum.adds = true;
        }
        if (b.bias == nullptr) continue;
        for (int64_t c = 0; c < g_.channels; ++c) sum.result[c] += b.bias[c];
      }
    }
  }
}

void ComputeDepthwiseGradient(const PositionProductGeometry& g, const PositionProduct::Buffers& b,
                              IndexRange taps) {
  BlockPositions positions;
  for (int64_t tap = taps.begin; tap < taps.end; ++tap) {
    ChannelSum sum{.offsets = positions.offsets,
                   .result = b.result + tap * g.result_tap,
                   .channels = g.columns};
    for (int64_t block = 0; block < g.Blocks(); ++block) {
      FindBlockPositions(g, g.taps[tap], block, g.gradient_position, &positions);
      if (positions.count == 0) continue;
      sum.count = positions.count;
      sum.source = b.source + positions.source;
      sum.gradient = b.gradient + block * kProductBlock * g.gradient_position;
      SumChannels(g.lanes, sum);
      sum.adds = true;
    }
    if (!sum.adds) std::fill_n(sum.result, g.columns, 0.0f);
  }
}

}  // namespace dl::nn
