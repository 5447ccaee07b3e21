#include "tests/gradient/reference/reference_pooling.h"

#include <algorithm>

#include "tests/gradient/reference/reference_border.h"

namespace dl::reference {

Pooling::Source Pooling::SourceOf(int64_t d, int64_t h, int64_t w) const {
  const nn::Extent3D kernel = shape_.window.kernel, stride = shape_.window.stride;
  const nn::Extent3D before = BorderBefore(shape_.window, shape_.input);
  const auto there = [](int64_t first, int64_t size, int64_t extent) {
    return Range{std::max<int64_t>(first, 0), std::min(first + size, extent)};
  };
  return {.depth = there(d * stride.depth - before.depth, kernel.depth, shape_.input.depth),
          .height = there(h * stride.height - before.height, kernel.height, shape_.input.height),
          .width = there(w * stride.width - before.width, kernel.width, shape_.input.width)};
}

Pooling::Source AdaptivePooling::SourceOf(int64_t, int64_t h, int64_t w) const {
  const auto share = [](int64_t i, int64_t extent, int64_t parts) {
    return Range{i * extent / parts, ((i + 1) * extent + parts - 1) / parts};
  };
  return {.depth = {0, 1},
          .height = share(h, shape().input.height, shape().output.height),
          .width = share(w, shape().input.width, shape().output.width)};
}

std::vector<int64_t> Pooling::RealIndicesOf(int64_t output) const {
  const nn::InputType& in = shape_.input;
  const nn::InputType& out = shape_.output;
  const Source source = SourceOf(output / (out.width * out.height) % out.depth,
                                 output / out.width % out.height, output % out.width);
  const int64_t channel = output / (out.width * out.height * out.depth);
  std::vector<int64_t> indices;
  for (int64_t d = source.depth.begin; d < source.depth.end; ++d) {
    for (int64_t h = source.height.begin; h < source.height.end; ++h) {
      for (int64_t w = source.width.begin; w < source.width.end; ++w)
        indices.push_back(((channel * in.depth + d) * in.height + h) * in.width + w);
    }
  }
  return indices;
}

double Pooling::DivisorOf(const std::vector<int64_t>& window) const {
  const nn::Extent3D kernel = shape_.window.kernel;
  if (kind_ == Kind::kAverageOfKernel)
    return static_cast<double>(kernel.depth * kernel.height * kernel.width);
  return static_cast<double>(window.size());
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
    y.push_back(sum / DivisorOf(window));
    sources_.push_back(std::move(window));
  }
  return y;
}

Values Pooling::Backward(const Values& dy) {
  Values dx(inputs_, 0.0);
  for (size_t o = 0; o < dy.size(); ++o) {
    for (const int64_t i : sources_[o]) dx[i] += dy[o] / DivisorOf(sources_[o]);
  }
  return dx;
}

}  // namespace dl::reference
