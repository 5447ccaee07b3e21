// Decides which convolutions use Winograd's method (nn/conf/winograd.h). The choice depends only on
// the geometry and the instruction set, because it decides the bits of results.
#pragma once

#include "nn/backend/convolution_primitive.h"
#include "nn/conf/winograd.h"
#include "nn/kernel_contract.h"

namespace dl::nn {

// Returns whether kernels for AVX-512 exist for the geometry: float32, images in one group of
// channels that fill blocks of 16, and 3x3 windows in steps of 1, with the same padding of at most
// 1 on opposite sides.
bool CanUseWinograd(const ConvolutionGeometry& geometry);

// Returns whether these kernels compute the result. `isa` is an instruction set of float32.
bool WinogradIsChosen(const ConvolutionGeometry& geometry, Isa isa, WinogradResult result);

}  // namespace dl::nn
