#include "tests/gradient/reference/reference_pixels.h"

namespace dl::reference {

int64_t MovedPixels::SourceOf(int64_t output) const {
  const nn::InputType& in = shape_.input;
  const nn::InputType& out = shape_.output;
  const int64_t column = output % out.width / shape_.scale.width - shape_.begin.width;
  const int64_t row = output / out.width % out.height / shape_.scale.height - shape_.begin.height;
  const int64_t plane = output / (out.width * out.height);
  if (row < 0 || row >= in.height || column < 0 || column >= in.width) return -1;
  return (plane * in.height + row) * in.width + column;
}

Values MovedPixels::Forward(const Values& x, const Pass& pass) {
  inputs_ = x.size();
  Values y(pass.examples * shape_.output.Elements(), 0.0);
  for (size_t i = 0; i < y.size(); ++i) {
    const int64_t source = SourceOf(static_cast<int64_t>(i));
    if (source >= 0) y[i] = x[source];
  }
  return y;
}

Values MovedPixels::Backward(const Values& dy) {
  Values dx(inputs_, 0.0);
  for (size_t i = 0; i < dy.size(); ++i) {
    const int64_t source = SourceOf(static_cast<int64_t>(i));
    if (source >= 0) dx[source] += dy[i];
  }
  return dx;
}

}  // namespace dl::reference
