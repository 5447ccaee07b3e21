// Pooling of one plane of one channel, number by number, after the definitions in
// nn/kernels/pooling_kernels.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "nn/backend/pooling_primitive.h"

namespace dl::nn {

class PoolingReference {
 public:
  explicit PoolingReference(const PoolingGeometry& g) : g_(g) {
    for (auto* axes : {&g_.window.in, &g_.window.out, &g_.window.kernel, &g_.window.stride})
      if (axes->size() == 2) axes->insert(axes->begin(), 1);
    if (g_.window.pad_before.size() == 2)
      g_.window.pad_before.insert(g_.window.pad_before.begin(), 0);
  }
  int64_t InSize() const { return Product(g_.window.in); }
  int64_t OutSize() const { return Product(g_.window.out); }

  void Compute(const float* x, const float* dy, float* y, float* dx) const {
    std::fill_n(dx, InSize(), 0.0f);
    int64_t o = 0;
    for (int64_t d = 0; d < g_.window.out[0]; ++d)
      for (int64_t h = 0; h < g_.window.out[1]; ++h)
        for (int64_t w = 0; w < g_.window.out[2]; ++w, ++o)
          ComputeWindow({d, h, w}, x, dy[o], y[o], dx);
  }

 private:
  static int64_t Product(const WindowGeometry::Axes& axes) { return axes[0] * axes[1] * axes[2]; }

  void ComputeWindow(const std::array<int64_t, 3>& o, const float* x, float dy, float& y,
                     float* dx) const {
    std::vector<int64_t> inside;
    bool first_is_inside = false;
    const WindowGeometry& win = g_.window;
    for (int64_t k = 0; k < Product(win.kernel); ++k) {
      const std::array<int64_t, 3> tap = {k / (win.kernel[1] * win.kernel[2]),
                                          k / win.kernel[2] % win.kernel[1], k % win.kernel[2]};
      int64_t place = 0;
      bool is_inside = true;
      for (int i = 0; i < 3; ++i) {
        const int64_t at = o[i] * win.stride[i] - win.pad_before[i] + tap[i];
        is_inside &= at >= 0 && at < win.in[i];
        place = place * win.in[i] + at;
      }
      if (is_inside) inside.push_back(place);
      if (k == 0) first_is_inside = is_inside;
    }
    if (g_.kind == PoolingKind::kMax) {
      y = std::numeric_limits<float>::lowest();
      int64_t best = first_is_inside ? inside[0] : -1;
      for (const int64_t place : inside) {
        if (!(x[place] > y)) continue;
        y = x[place];
        best = place;
      }
      if (best >= 0) dx[best] += dy;
      return;
    }
    const auto count = static_cast<float>(g_.kind == PoolingKind::kAverageWindow
                                              ? Product(win.kernel)
                                              : static_cast<int64_t>(inside.size()));
    y = 0;
    for (const int64_t place : inside) y += x[place];
    y /= count;
    for (const int64_t place : inside) dx[place] += dy / count;
  }

  PoolingGeometry g_;
};

}  // namespace dl::nn
