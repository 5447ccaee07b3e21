#include "nn/backend/own/own_weight_gradient.h"

#include <memory>
#include <utility>
#include <vector>

#include "nn/backend/blocked_layouts.h"
#include "nn/backend/own/own_kernel.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/conv/weight_gradient.h"

namespace dl::nn {
namespace {

constexpr int64_t kMostPlainChannels = 3;

WeightGradientGeometry GeometryOf(const ConvolutionGeometry& g, Isa isa) {
  const auto axis = [&g](int i) {
    return WeightGradientGeometry::Axis{.in = g.window.in[i],
                                        .out = g.window.out[i],
                                        .kernel = g.window.kernel[i],
                                        .stride = g.window.stride[i],
                                        .dilation = g.window.dilation[i],
                                        .pad_before = g.window.pad_before[i]};
  };
  return {.batch = g.batch,
          .in_channels = g.in_channels,
          .out_channels = g.out_channels,
          .height = axis(0),
          .width = axis(1),
          .lanes = isa == Isa::kAvx512 ? 16 : 8,
          .source = g.in_channels <= kMostPlainChannels ? WeightGradientGeometry::Source::kPlain
                                                        : WeightGradientGeometry::Source::kBlocked};
}

void Run(const WeightGradient& gradient, int64_t images, const BufferPointers& buffers) {
  const WeightGradient::Buffers b{
      .source = buffers.Get<const float>(Role::kSource),
      .diff_destination = buffers.Get<const float>(Role::kDiffDestination),
      .diff_weights = buffers.Get<float>(Role::kDiffWeights),
      .diff_bias = buffers.Get<float>(Role::kDiffBias),
      .scratch = buffers.Get<float>(Role::kScratchpad)};
  constexpr int64_t kFloatsOfUnit = int64_t{1} << 16;  // about; more than threads need to wake up
  ForRows(images, kFloatsOfUnit,
          [&](int64_t begin, int64_t end) { gradient.Stage(b, begin, end); });
  ForRows(gradient.units(), kFloatsOfUnit,
          [&](int64_t begin, int64_t end) { gradient.ComputeUnits(b, begin, end); });
}

}  // namespace

bool CanComputeOwnWeightGradient(const ConvolutionGeometry& g, Isa isa) {
  return g.window.in.size() == 2 && g.groups == 1 && WeightGradient::Supports(GeometryOf(g, isa));
}

Primitive OwnConvolutionBackwardWeights(const ConvolutionGeometry& g, Isa isa) {
  const WeightGradientGeometry geometry = GeometryOf(g, isa);
  const auto gradient =
      std::make_shared<const WeightGradient>(geometry);  // shared by bound kernels
  const int block = geometry.lanes;
  const std::vector<int64_t> source = {g.batch, g.in_channels, g.window.in[0], g.window.in[1]};
  const std::vector<int64_t> destination = {g.batch, g.out_channels, g.window.out[0],
                                            g.window.out[1]};
  const std::vector<int64_t> weights = {g.out_channels, g.in_channels, g.window.kernel[0],
                                        g.window.kernel[1]};
  const bool plain = geometry.source == WeightGradientGeometry::Source::kPlain;
  Kernel::Layouts layouts = {
      {Role::kSource, plain ? Layout::Plain(source) : BlockedImages(source, block)},
      {Role::kDiffDestination, BlockedImages(destination, block)},
      {Role::kDiffWeights,
       plain ? BlockedFirstWeights(weights, block) : BlockedWeights(weights, block)}};
  if (g.has_bias) layouts.emplace(Role::kDiffBias, Layout::Plain({&g.out_channels, 1}));
  const int64_t scratch = gradient->scratch_floats();
  if (scratch > 0) layouts.emplace(Role::kScratchpad, Layout::Plain({&scratch, 1}));
  return OwnPrimitive("weight_gradient", std::move(layouts),
                      [gradient, images = g.batch](const BufferPointers& buffers) {
                        Run(*gradient, images, buffers);
                      });
}

}  // namespace dl::nn
