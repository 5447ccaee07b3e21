// Chooses the kernel of ConvolutionBackwardWeights. The choice depends only on the geometry and the
// instruction set, because it decides the bits of results.
#include "nn/backend/convolution_primitive.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/backend/own/own_convolution.h"
#include "nn/backend/own/own_small_convolution.h"
#include "nn/backend/own/own_weight_gradient.h"

namespace dl::nn {
namespace {

enum class Windows { kPoints, kLarger };  // 1x1 kernels, and all others

// The own kernel is chosen for outputs of at most this number of pixels. bench/nn/weight_gradient
// measures both kernels. Each row has the range of oneDNN's time / the own kernel's (Emerald
// Rapids, one thread, minibatches of 16 and 42). The own kernel skips padding, and small images
// cost no more than large ones. oneDNN reads points of large images with fewer cache misses.
struct Row {
  Isa isa;
  int64_t in_channels;  // at least
  Windows windows;
  int64_t most_pixels;
};
constexpr int64_t kAny = int64_t{1} << 40;
// The first row that matches decides. oneDNN computes what no row has.
constexpr Row kRows[] = {
    {Isa::kAvx512, 64, Windows::kPoints, 49},    // 1.0 to 9; 0.8 to 1.1 for 8 x 8 and more
    {Isa::kAvx512, 64, Windows::kLarger, kAny},  // 1.0 to 8
    {Isa::kAvx512, 4, Windows::kLarger, 100},    // 1.6 to 1.8; 0.7 to 1.0 for 14 x 14 and more
    {Isa::kAvx2, 64, Windows::kPoints, 4},       // 1.0 to 3; 0.8 to 1.1 for 4 x 4 and more
    {Isa::kAvx2, 64, Windows::kLarger, kAny},    // 1.0 to 19
    {Isa::kAvx2, 4, Windows::kLarger, 100},      // 1.1 to 1.4; 0.7 to 0.9 for 14 x 14 and more
    {Isa::kAvx2, 3, Windows::kLarger, 0},        // 0.7 to 1.0
    {Isa::kAvx2, 1, Windows::kLarger, kAny},     // 2.6 to 5.4, because oneDNN pads to 8 channels
};

bool OwnIsFaster(const ConvolutionGeometry& g, Isa isa) {
  const int64_t pixels = g.window.out[0] * g.window.out[1];
  const bool points = g.window.kernel[0] * g.window.kernel[1] == 1;
  for (const Row& row : kRows) {
    if (row.isa == isa && g.in_channels >= row.in_channels &&
        points == (row.windows == Windows::kPoints)) {
      return pixels <= row.most_pixels;
    }
  }
  return false;
}

// oneDNN's kernel for geometries that its others lack. It multiplies a matrix for each channel of a
// depthwise convolution: 1,024 channels of 2x2 pixels take 6.5 ms instead of 0.1 (Emerald
// Rapids, one thread, minibatch of 42).
constexpr char kMatrixProducts[] = "gemm:jit";

}  // namespace

StatusOr<Primitive> ConvolutionBackwardWeights(const ConvolutionGeometry& g, const Layout& source,
                                               const Layout& diff_destination) {
  if (g.kernels == KernelSet::kPortable) return OwnConvolutionBackwardWeights(g);
  const bool is_bf16 = g.types.for_weights == DataType::kBf16;
  if (is_bf16 && source.empty() && diff_destination.empty() && UsesOwnSmallConvolution(g))
    return OwnSmallConvolutionBackwardWeights(g);
  DL_ASSIGN_OR_RETURN(const Isa level, ProcessIsa());
  const Isa isa = ContractIsas(level).front();
  const bool is_float32 = g.types.for_weights == DataType::kFloat32;
  if (is_float32 && source.empty() && diff_destination.empty() &&
      CanComputeOwnWeightGradient(g, isa) && OwnIsFaster(g, isa)) {
    return OwnConvolutionBackwardWeights(g, isa);
  }
  DL_ASSIGN_OR_RETURN(Primitive primitive,
                      OnednnConvolutionBackwardWeights(g, source, diff_destination));
  const bool is_depthwise = g.groups == g.in_channels && g.groups == g.out_channels;
  if (is_float32 && is_depthwise && source.empty() && diff_destination.empty() &&
      primitive.name().ends_with(kMatrixProducts))
    return OwnConvolutionBackwardWeights(g);
  return primitive;
}

}  // namespace dl::nn
