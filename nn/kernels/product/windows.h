// How windows slide over images or volumes in which the values of a pixel are contiguous, in the
// terms of RowProduct and PositionProduct. Padding and gaps between strides are left out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nn/kernels/product/position_product.h"
#include "nn/kernels/product/row_product.h"

namespace dl::nn {

// Output o meets input o * stride + tap * dilation - pad. An axis that images lack has one
// position.
struct WindowAxis {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t pad = 0;  // before the first input
};
using WindowAxes = std::array<WindowAxis, 3>;  // depth, height, width

int64_t TapsOf(const WindowAxes& axes);
int64_t InputsOf(const WindowAxes& axes);   // pixels of an input image
int64_t OutputsOf(const WindowAxes& axes);  // pixels of an output image

// Whether a product computes outputs from inputs, or inputs (their gradient) from outputs.
enum class WindowDirection : uint8_t { kToOutputs, kToInputs };

// Returns the rows of the product, one for each pixel of its result. A pixel of the source and of
// the result has this number of floats.
std::vector<RowClass> RowClassesOf(const WindowAxes& axes, WindowDirection direction,
                                   int64_t source_pixel, int64_t result_pixel);

// Returns for each tap the outputs at which it meets the input. A pixel of the input has this
// number of floats.
std::vector<std::vector<TapRow>> TapRowsOf(const WindowAxes& axes, int64_t input_pixel);

}  // namespace dl::nn
