#include "tests/gradient/reference/pooling.h"

#include <algorithm>

#include "tests/gradient/reference/border.h"

namespace dl::reference {

std::vector<int64_t> Pooling::RealIndicesOf(int64_t output) const {
  const nn::Extent3D kernel = shape_.window.kernel, stride = shape_.window.stride;
  const nn::Extent3D before = BorderBefore(shape_.window, shape_.input);
  const nn::InputType& in = shape_.input;
  const nn::InputType& out = shape_.output;
  const int64_t left = output % out.width * stride.width - before.width;
  const int64_t top = output / out.width % out.height * stride.height - before.height;
  const int64_t front = output / (out.width * out.height) % out.depth * stride.depth - before.depth;
  const int64_t channel = output / (out.width * out.height * out.depth);
  std::vector<int64_t> indices;
  for (int64_t d = std::max<int64_t>(front, 0); d < std::min(front + kernel.depth, in.depth); ++d) {
    for (int64_t h = std::max<int64_t>(top, 0); h < std::min(top + kernel.height, in.height); ++h) {
      for (int64_t w = std::max<int64_t>(left, 0); w < std::min(left + kernel.width, in.width);
           ++w) {
        indices.push_back(((channel * in.depth + d) * in.height + h) * in.width + w);
      }
    }
  }
  return indices;
}

Values Pooling::Forward(const Values& x, const Pass& pass) {
  inputs_ = static_cast<int64_t>(x.size());
  kink_distance_ = std::numeric_limits<double>::infinity();
  sources_.clear();
  Values y;
  for (int64_t o = 0; o < pass.examples * shape_.output.Elements(); ++o) {
    std::vector<int64_t> window = RealIndicesOf(o);
    if (kind_ == Kind::kMax) {
      int64_t best = window.front();
      for (const int64_t i : window) best = x[i] > x[best] ? i : best;
      for (const int64_t i : window) {
        if (x[i] != x[best]) kink_distance_ = std::min(kink_distance_, x[best] - x[i]);
      }
      window = {best};
    }
    double sum = 0;
    for (const int64_t i : window) sum += x[i];
    y.push_back(sum / static_cast<double>(window.size()));
    sources_.push_back(std::move(window));
  }
  return y;
}

Values Pooling::Backward(const Values& dy) {
  Values dx(inputs_, 0.0);
  for (size_t o = 0; o < dy.size(); ++o) {
    for (const int64_t i : sources_[o]) dx[i] += dy[o] / static_cast<double>(sources_[o].size());
  }
  return dx;
}

}  // namespace dl::reference
