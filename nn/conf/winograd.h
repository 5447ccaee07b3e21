// Convolutions of 3x3 windows by Winograd's minimal filtering F(4x4, 3x3) (A. Lavin and S. Gray,
// Fast Algorithms for Convolutional Neural Networks, 2016). A tile of 4x4 pixels of the output is
// computed from 6x6 pixels of the input with 36 multiplications for each pair of channels, instead
// of 144. oneDNN has this kernel for AVX-512.
//
// On random values, the root mean square error is at most 1.5e-6 of the result. Direct kernels have
// 2e-7 for the output, and up to 3.5e-6 for weight gradients of large images.
#pragma once

#include <cstdint>

namespace dl::nn {

// A convolution with 3x3 windows, stride 1, one group and no dilation.
struct WinogradShape {
  int64_t batch = 1;
  int64_t in_channels = 1, out_channels = 1;
  int64_t height = 1, width = 1;  // of the output
};

enum class WinogradResult : uint8_t {
  kImages,   // the output, or the gradient of the input
  kWeights,  // the gradient of the weights
};

// Returns whether the native kernels of AVX-512 compute the result by the method.
bool UsesWinograd(const WinogradShape& shape, WinogradResult result);

// Returns the most floats of scratch memory that one of these kernels takes on `threads` threads.
double WinogradScratch(const WinogradShape& shape, double threads);

}  // namespace dl::nn
