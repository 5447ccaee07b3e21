// Chooses the types and the kernels of convolutions, except those of weight gradients
// (nn/backend/weight_gradient_choice.cc). The choice depends only on the geometry and the
// instruction set, because it decides the bits of results.
#include "nn/backend/convolution_primitive.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/backend/own/own_convolution.h"
#include "nn/backend/own/own_small_convolution.h"

namespace dl::nn {

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
  return OnednnConvolutionForward(g, source);
}

StatusOr<Primitive> ConvolutionBackwardData(const ConvolutionGeometry& g,
                                            const Layout& diff_destination) {
  if (g.kernels == KernelSet::kPortable) return OwnConvolutionBackwardData(g);
  if (g.types.factors == DataType::kBf16 && diff_destination.empty() && UsesOwnSmallConvolution(g))
    return OwnSmallConvolutionBackwardData(g);
  return OnednnConvolutionBackwardData(g, diff_destination);
}

}  // namespace dl::nn
