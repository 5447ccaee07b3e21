#include "tests/gradient/reference/reference_convolution.h"

#include <algorithm>

#include "tests/gradient/reference/reference_border.h"

namespace dl::reference {

void Convolution::ForEachTap(const std::function<void(const Tap&)>& visit) const {
  const nn::Extent3D &kernel = shape_.window.kernel, &stride = shape_.window.stride,
                     &dilation = shape_.window.dilation;
  const nn::Extent3D before = BorderBefore(shape_.window, shape_.input);
  const nn::InputType& in = shape_.input;
  const nn::InputType& out = shape_.output;
  const int64_t channels = in.channels / shape_.groups;  // of one group
  const int64_t filters = out.channels / shape_.groups;
  for (int64_t y = 0; y < examples_ * out.Elements(); ++y) {
    const int64_t column = y % out.width;
    const int64_t row = y / out.width % out.height;
    const int64_t slice = y / (out.width * out.height) % out.depth;
    const int64_t filter = y / (out.width * out.height * out.depth) % out.channels;
    const int64_t example = y / out.Elements();
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t channel = example * in.channels + filter / filters * channels + c;
      for (int64_t kd = 0; kd < kernel.depth; ++kd) {
        for (int64_t kh = 0; kh < kernel.height; ++kh) {
          for (int64_t kw = 0; kw < kernel.width; ++kw) {
            const int64_t d = slice * stride.depth - before.depth + kd * dilation.depth;
            const int64_t h = row * stride.height - before.height + kh * dilation.height;
            const int64_t w = column * stride.width - before.width + kw * dilation.width;
            if (d < 0 || d >= in.depth || h < 0 || h >= in.height || w < 0 || w >= in.width)
              continue;
            const int64_t plane = (filter * channels + c) * kernel.depth + kd;
            visit({.x = ((channel * in.depth + d) * in.height + h) * in.width + w,
                   .weight = (plane * kernel.height + kh) * kernel.width + kw,
                   .y = y});
          }
        }
      }
    }
  }
}

Values Convolution::Forward(const Values& x, const Pass& pass) {
  x_ = x;
  examples_ = pass.examples;
  Values y(examples_ * shape_.output.Elements(), 0.0);
  ForEachTap([&](const Tap& tap) { y[tap.y] += weight_.value[tap.weight] * x[tap.x]; });
  const int64_t area = shape_.output.depth * shape_.output.height * shape_.output.width;
  for (size_t i = 0; i < y.size() && !bias_.value.empty(); ++i) {
    y[i] += bias_.value[i / area % shape_.output.channels];
  }
  return y;
}

Values Convolution::Backward(const Values& dy) {
  Values dx(x_.size(), 0.0);
  std::fill(weight_.gradient.begin(), weight_.gradient.end(), 0.0);
  std::fill(bias_.gradient.begin(), bias_.gradient.end(), 0.0);
  ForEachTap([&](const Tap& tap) {
    weight_.gradient[tap.weight] += dy[tap.y] * x_[tap.x];
    dx[tap.x] += dy[tap.y] * weight_.value[tap.weight];
  });
  const int64_t area = shape_.output.depth * shape_.output.height * shape_.output.width;
  for (size_t i = 0; i < dy.size() && !bias_.gradient.empty(); ++i) {
    bias_.gradient[i / area % shape_.output.channels] += dy[i];
  }
  return dx;
}

}  // namespace dl::reference
