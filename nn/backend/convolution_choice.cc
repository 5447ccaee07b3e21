// Chooses the types and the kernels of convolutions, except those of weight gradients
// (nn/backend/weight_gradient_choice.cc). The choice depends only on the geometry and the
// instruction set, because it decides the bits of results.
#include <optional>

#include "nn/backend/convolution_primitive.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/backend/own/own_convolution.h"
#include "nn/backend/own/own_small_convolution.h"
#include "nn/kernel_contract.h"

namespace dl::nn {
namespace {

// The own kernels for blocked images are chosen for outputs of at most these numbers of pixels, and
// for at least kChannels inputs and outputs. bench/nn/convolutions measures both kernels. Comments
// have the range of oneDNN's time / the own kernel's (Emerald Rapids, one thread, minibatch of 42).
// The own kernels skip padding, and read weights once for all examples. oneDNN's gradient also
// copies the weights to another layout.
struct Row {
  Isa isa;
  bool is_point;  // 1x1 kernels, or all others
  int64_t pixels_of_output, pixels_of_gradient;
};
constexpr Row kRows[] = {
    {Isa::kAvx512, true, 1, 4},   // 1.8 to 4.0, 0.9 to 5.8; for more pixels 0.7 to 1.0
    {Isa::kAvx512, false, 4, 4},  // 1.4 to 2.8, 1.7 to 5.0; for 4 x 4 0.9 to 1.3
    {Isa::kAvx2, true, 1, 1},     // 1.7 to 5.2, 1.7 to 2.1; for more pixels 0.6 to 1.0
    {Isa::kAvx2, false, 16, 16},  // 1.2 to 3.9, 1.0 to 14; for 8 x 8 0.9 to 1.0
};
constexpr int64_t kChannels = 64;

// Returns the instruction set of the own kernel for blocked images if it is chosen, else nullopt.
// `most_pixels` is the limit of the product: a member of Row. Returns the errors of ProcessIsa.
StatusOr<std::optional<Isa>> IsaOfOwnKernel(const ConvolutionGeometry& g,
                                            int64_t Row::*most_pixels) {
  DL_ASSIGN_OR_RETURN(const Isa level, ProcessIsa());
  const Isa isa = ContractIsas(level).front();
  if (g.types.factors != DataType::kFloat32 || g.in_channels < kChannels ||
      g.out_channels < kChannels || !CanComputeBlockedConvolution(g, isa))
    return std::nullopt;
  const bool is_point = g.window.kernel[0] * g.window.kernel[1] == 1;
  const int64_t pixels = g.window.out[0] * g.window.out[1];
  for (const Row& row : kRows) {
    if (row.isa == isa && row.is_point == is_point && pixels <= row.*most_pixels) return isa;
  }
  return std::nullopt;
}

}  // namespace

// Wrong values, seen by comparison with float32 on random geometries
// (tests/unit/nn/bf16_convolution_test.cc):
// - jit:avx512_core_amx_bf16 reads scratch memory that nothing wrote. This happens in gradients of
//   weights with more than 32 input channels that are no multiple of 16.
// - brgconv:avx512_core_amx_bf16 skips pixels of the border. This happens if the kernel is shorter
//   than the stride on one axis and longer than 1 on another.
// Slower with oneDNN's AMX kernels than in float32 (Emerald Rapids, one thread, minibatches of 42
// and 128):
// - Gradients of weights for at most 4 pixels take 2 times as long. The own kernel skips padding.
// - Gradients of weights with few input channels take 2.5 to 3 times as long. Channels fill no
//   tile.
// - All three products take 8 times as long if a larger kernel meets a single pixel.
ProductTypes BestTypes(const ConvolutionGeometry& g, const ProductTypes& wanted) {
  if (UsesOwnSmallConvolution(g)) return wanted;
  constexpr int64_t kBlock = 16, kSafe = 32, kFewPixels = 4;
  bool skips = false, is_larger = false;
  int64_t pixels = 1, read_pixels = 1;
  for (size_t axis = 0; axis < g.window.kernel.size(); ++axis) {
    skips = skips || g.window.kernel[axis] < g.window.stride[axis];
    is_larger = is_larger || g.window.kernel[axis] > 1;
    pixels *= g.window.out[axis];
    read_pixels *= g.window.in[axis];
  }
  if (is_larger && (skips || (pixels == 1 && read_pixels == 1))) return {};
  ProductTypes types = wanted;
  const int64_t channels = g.in_channels / g.groups;
  const bool is_wrong = channels > kSafe && channels % kBlock != 0;
  if (is_wrong || channels < kSafe || pixels <= kFewPixels) types.for_weights = DataType::kFloat32;
  return types;
}

StatusOr<Primitive> ConvolutionForward(const ConvolutionGeometry& g, const Layout& source) {
  if (g.kernels == KernelSet::kPortable) return OwnConvolutionForward(g);
  if (g.types.factors == DataType::kBf16 && source.empty() && UsesOwnSmallConvolution(g))
    return OwnSmallConvolutionForward(g);
  DL_ASSIGN_OR_RETURN(const std::optional<Isa> own, IsaOfOwnKernel(g, &Row::pixels_of_output));
  if (own && source.empty()) return OwnBlockedConvolutionForward(g, *own);
  return OnednnConvolutionForward(g, source);
}

StatusOr<Primitive> ConvolutionBackwardData(const ConvolutionGeometry& g,
                                            const Layout& diff_destination) {
  if (g.kernels == KernelSet::kPortable) return OwnConvolutionBackwardData(g);
  if (g.types.factors == DataType::kBf16 && diff_destination.empty() && UsesOwnSmallConvolution(g))
    return OwnSmallConvolutionBackwardData(g);
  DL_ASSIGN_OR_RETURN(const std::optional<Isa> own, IsaOfOwnKernel(g, &Row::pixels_of_gradient));
  if (own && diff_destination.empty()) return OwnBlockedConvolutionBackwardData(g, *own);
  return OnednnConvolutionBackwardData(g, diff_destination);
}

}  // namespace dl::nn
