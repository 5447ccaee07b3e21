#include "nn/backend/own/own_small_convolution.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nn/backend/amx_kernels.h"
#include "nn/backend/blocked_layouts.h"
#include "nn/backend/own/own_kernel.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/amx/small_convolution.h"
#include "nn/kernels/amx/small_weight_gradient.h"

namespace dl::nn {
namespace {

// Pixels of the output. A step of ResNet-18 with 42 images of 32 x 32 takes 64 ms with oneDNN's
// kernels only (Emerald Rapids, one thread). It takes 44 ms with the own ones for up to 4 pixels,
// and 38 ms for up to 16 or 64.
constexpr int64_t kMostPixels = 16;

// A tap that connects a pixel of the input with a pixel of the output.
struct Connection {
  int64_t in = 0, out = 0, tap = 0;
};

// Returns the position of the input at which a tap of the kernel meets the image. Negative, or at
// least window.in, in the padding.
int64_t PositionOf(const WindowGeometry& w, size_t axis, int64_t out, int64_t tap) {
  return out * w.stride[axis] + tap * w.dilation[axis] - w.pad_before[axis];
}

// Returns all connections, ordered by the pixel of the output, then by the tap.
std::vector<Connection> ConnectionsOf(const WindowGeometry& w) {
  std::vector<Connection> connections;
  const int64_t out_pixels = w.out[0] * w.out[1], taps = w.kernel[0] * w.kernel[1];
  for (int64_t out = 0; out < out_pixels; ++out) {
    for (int64_t tap = 0; tap < taps; ++tap) {
      const int64_t y = PositionOf(w, 0, out / w.out[1], tap / w.kernel[1]);
      const int64_t x = PositionOf(w, 1, out % w.out[1], tap % w.kernel[1]);
      if (y < 0 || y >= w.in[0] || x < 0 || x >= w.in[1]) continue;
      connections.push_back({.in = y * w.in[1] + x, .out = out, .tap = tap});
    }
  }
  return connections;
}

std::vector<int64_t> Images(const ConvolutionGeometry& g, int64_t channels,
                            const WindowGeometry::Axes& axes) {
  return {g.batch, channels, axes[0], axes[1]};
}
// States that the channels come last also of a single pixel, whose plain layout is the same memory:
// oneDNN's batch normalization computes plain images several times slower.
Layout ChannelsLastOf(const std::vector<int64_t>& dims, DataType type) {
  const int64_t row = dims[3] * dims[1];
  const std::vector<int64_t> strides = {dims[2] * row, 1, row, dims[1]};
  return Layout::Strided(dims, strides).As(type);
}

// Runs a kernel that stages its sources and then computes. Floats of a unit are rough numbers.
template <typename Staged>
void RunStaged(const Staged& kernel, const typename Staged::Buffers& buffers) {
  constexpr int64_t kFloatsOfTiles = int64_t{1} << 11;
  constexpr int64_t kFloatsOfUnit = int64_t{1} << 16;  // more than threads need to wake up
  ForRows(kernel.staging_units(), kFloatsOfTiles, [&](int64_t begin, int64_t end) {
    kernel.Stage(buffers, {begin, end});
  });
  ForRows(kernel.units(), kFloatsOfUnit, [&](int64_t begin, int64_t end) {
    kernel.Compute(buffers, {begin, end});
  });
}

template <typename Staged>
Layout ScratchOf(const Staged& kernel) {
  const int64_t floats = kernel.scratch_values() / 2;  // tiles are even numbers of values
  return Layout::Plain({&floats, 1});
}

// Describes the input or the output of a convolution. A tensor that is read is in bf16.
struct Side {
  Role role;
  int64_t channels = 0;
  WindowGeometry::Axes axes;
  DataType type = DataType::kBf16;

  int64_t Pixels() const { return axes[0] * axes[1]; }
};

// Sums over the pixels of `from` that taps connect with a pixel of `to`. `ends` returns the pixel
// of the source and that of the result of a connection.
template <typename Ends>
Primitive Own(const std::string& name, const ConvolutionGeometry& g, const Side& from,
              const Side& to, PairedWeights::Pairs pairs, Ends ends) {
  SmallConvolution convolution{.rows = g.batch,
                               .terms = from.channels,
                               .columns = to.channels,
                               .source_pixels = from.Pixels(),
                               .taps = g.window.kernel[0] * g.window.kernel[1],
                               .rounds = to.type == DataType::kBf16};
  convolution.sources.resize(to.Pixels());
  for (const Connection& connection : ConnectionsOf(g.window)) {
    const auto [source, result] = ends(connection);
    convolution.sources[result].push_back({.pixel = source, .tap = connection.tap});
  }
  // Shared by bound kernels.
  const auto kernel = std::make_shared<const AmxSmallConvolution>(std::move(convolution));
  Kernel::Layouts layouts = {
      {from.role, ChannelsLastOf(Images(g, from.channels, from.axes), from.type)},
      {Role::kWeights, TiledWeights(ConvolutionWeightsLayout(g).dims(), pairs)},
      {to.role, ChannelsLastOf(Images(g, to.channels, to.axes), to.type)},
      {Role::kScratchpad, ScratchOf(*kernel)}};
  // Only the output has a bias.
  if (g.has_bias && to.role == Role::kDestination)
    layouts.emplace(Role::kBias, Layout::Plain({&g.out_channels, 1}));
  return OwnPrimitive(
      name, std::move(layouts),
      [kernel, source = from.role, result = to.role](const BufferPointers& buffers) {
        RunStaged(*kernel, {.source = buffers.Get<const uint16_t>(source),
                            .weights = buffers.Get<const uint16_t>(Role::kWeights),
                            .bias = buffers.Get<const float>(Role::kBias),
                            .result = buffers.Get<void>(result),
                            .scratch = buffers.Get<uint16_t>(Role::kScratchpad)});
      });
}

}  // namespace

bool UsesOwnSmallConvolution(const ConvolutionGeometry& g) {
  constexpr int64_t kBlock = SmallConvolution::kBlock;
  static_assert(kBlock == SmallWeightGradient::kBlock);
  return g.kernels == KernelSet::kNative && ComputesWithAmx() && g.window.in.size() == 2 &&
         g.groups == 1 && g.in_channels % kBlock == 0 && g.out_channels % kBlock == 0 &&
         g.window.out[0] * g.window.out[1] <= kMostPixels;
}

Primitive OwnSmallConvolutionForward(const ConvolutionGeometry& g) {
  return Own("small_convolution", g,
             {.role = Role::kSource, .channels = g.in_channels, .axes = g.window.in},
             {.role = Role::kDestination,
              .channels = g.out_channels,
              .axes = g.window.out,
              .type = g.types.destination},
             PairedWeights::Pairs::kOfInputs,
             [](const Connection& c) { return std::pair(c.in, c.out); });
}

Primitive OwnSmallConvolutionBackwardData(const ConvolutionGeometry& g) {
  return Own("small_convolution_gradient", g,
             {.role = Role::kDiffDestination, .channels = g.out_channels, .axes = g.window.out},
             {.role = Role::kDiffSource,
              .channels = g.in_channels,
              .axes = g.window.in,
              .type = g.types.diff_source},
             PairedWeights::Pairs::kOfOutputs,
             [](const Connection& c) { return std::pair(c.out, c.in); });
}

Primitive OwnSmallConvolutionBackwardWeights(const ConvolutionGeometry& g) {
  const WindowGeometry& w = g.window;
  SmallWeightGradient gradient{.rows = g.batch,
                               .inputs = g.in_channels,
                               .outputs = g.out_channels,
                               .in_pixels = w.in[0] * w.in[1],
                               .out_pixels = w.out[0] * w.out[1]};
  gradient.connections.resize(w.kernel[0] * w.kernel[1]);
  for (const auto& [in, out, tap] : ConnectionsOf(w))
    gradient.connections[tap].push_back({in, out});
  // Shared by bound kernels.
  const auto kernel = std::make_shared<const AmxSmallWeightGradient>(std::move(gradient));
  Kernel::Layouts layouts = {
      {Role::kSource, ChannelsLastOf(Images(g, g.in_channels, w.in), DataType::kBf16)},
      {Role::kDiffDestination, ChannelsLastOf(Images(g, g.out_channels, w.out), DataType::kBf16)},
      {Role::kDiffWeights, BlockedWeights(ConvolutionWeightsLayout(g).dims(), 16)},
      {Role::kScratchpad, ScratchOf(*kernel)}};
  if (g.has_bias) layouts.emplace(Role::kDiffBias, Layout::Plain({&g.out_channels, 1}));
  return OwnPrimitive(
      "small_weight_gradient", std::move(layouts), [kernel](const BufferPointers& buffers) {
        RunStaged(*kernel, {.source = buffers.Get<const uint16_t>(Role::kSource),
                            .diff_destination = buffers.Get<const uint16_t>(Role::kDiffDestination),
                            .diff_weights = buffers.Get<float>(Role::kDiffWeights),
                            .diff_bias = buffers.Get<float>(Role::kDiffBias),
                            .scratch = buffers.Get<uint16_t>(Role::kScratchpad)});
      });
}

}  // namespace dl::nn
