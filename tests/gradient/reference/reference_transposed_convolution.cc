#include "tests/gradient/reference/reference_transposed_convolution.h"

#include <algorithm>

namespace dl::reference {
namespace {

// Returns what is cut off at the beginning of the full output. "same": half of the part that
// exceeds in * stride.
int64_t CutBefore(const nn::Padding& padding, int64_t size, int64_t reach, int64_t stride) {
  if (!padding.same) return size;
  return reach > stride ? (reach - stride) / 2 : 0;
}

}  // namespace

void TransposedConvolution::ForEachTap(const std::function<void(const Tap&)>& visit) const {
  const nn::Extent2D &kernel = shape_.conf.window.kernel, &stride = shape_.conf.window.stride,
                     &dilation = shape_.conf.window.dilation;
  const nn::Padding& padding = shape_.conf.window.padding;
  const nn::InputType& in = shape_.input;
  const nn::InputType& out = shape_.output;
  const int64_t channels = in.channels / shape_.conf.groups;  // of one group
  const int64_t filters = out.channels / shape_.conf.groups;
  const int64_t top = CutBefore(padding, padding.size.height,
                                (kernel.height - 1) * dilation.height + 1, stride.height);
  const int64_t left =
      CutBefore(padding, padding.size.width, (kernel.width - 1) * dilation.width + 1, stride.width);
  for (int64_t x = 0; x < static_cast<int64_t>(x_.size()); ++x) {
    const int64_t column = x % in.width;
    const int64_t row = x / in.width % in.height;
    const int64_t channel = x / (in.width * in.height) % in.channels;
    const int64_t example = x / in.Elements();
    for (int64_t f = 0; f < filters; ++f) {
      const int64_t filter = channel / channels * filters + f;
      for (int64_t k = 0; k < kernel.height; ++k) {
        for (int64_t l = 0; l < kernel.width; ++l) {
          const int64_t h = row * stride.height + k * dilation.height - top;
          const int64_t w = column * stride.width + l * dilation.width - left;
          if (h < 0 || h >= out.height || w < 0 || w >= out.width) continue;
          visit({.x = x,
                 .weight =
                     ((filter * channels + channel % channels) * kernel.height + k) * kernel.width +
                     l,
                 .y = ((example * out.channels + filter) * out.height + h) * out.width + w});
        }
      }
    }
  }
}

Values TransposedConvolution::Forward(const Values& x, const Pass& pass) {
  x_ = x;
  Values y(pass.examples * shape_.output.Elements(), 0.0);
  ForEachTap([&](const Tap& tap) { y[tap.y] += weight_.value[tap.weight] * x[tap.x]; });
  const int64_t area = shape_.output.height * shape_.output.width;
  for (size_t i = 0; i < y.size() && !bias_.value.empty(); ++i)
    y[i] += bias_.value[i / area % shape_.output.channels];
  return y;
}

Values TransposedConvolution::Backward(const Values& dy) {
  Values dx(x_.size(), 0.0);
  std::fill(weight_.gradient.begin(), weight_.gradient.end(), 0.0);
  std::fill(bias_.gradient.begin(), bias_.gradient.end(), 0.0);
  ForEachTap([&](const Tap& tap) {
    weight_.gradient[tap.weight] += dy[tap.y] * x_[tap.x];
    dx[tap.x] += dy[tap.y] * weight_.value[tap.weight];
  });
  const int64_t area = shape_.output.height * shape_.output.width;
  for (size_t i = 0; i < dy.size() && !bias_.gradient.empty(); ++i)
    bias_.gradient[i / area % shape_.output.channels] += dy[i];
  return dx;
}

}  // namespace dl::reference
