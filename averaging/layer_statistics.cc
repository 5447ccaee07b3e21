#include "averaging/layer_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

#include "base/isa_clones.h"

namespace dl::averaging {
namespace {

// Sums are taken in float over short runs, in lanes, and in double over the runs. Each lane has its
// own sum, so the bits do not depend on the width of vectors. Functions that loop over values get
// pointers: with checked spans, the compiler uses no vectors.
constexpr int64_t kLanes = 16;
constexpr int64_t kRun = 256 * kLanes;

using Lanes = std::array<float, kLanes>;

DL_ALWAYS_INLINE double Total(const Lanes& lanes) {
  double total = 0;
  for (const float lane : lanes) total += lane;
  return total;
}

// Calls `add` with the first value and the number of values of each run of `size` values.
template <typename Add>
DL_ALWAYS_INLINE void ForEachRun(int64_t size, Add add) {
  for (int64_t from = 0; from < size; from += kRun) add(from, std::min(kRun, size - from));
}

// Calls `add` with each of `size` values and its lane.
template <typename Add>
DL_ALWAYS_INLINE void ForEachValue(int64_t size, Add add) {
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) add(i + lane, lane);
  }
  for (int64_t lane = 0; i < size; ++i, ++lane) add(i, lane);
}

struct Sums {
  double absolute = 0, changed = 0, squared = 0;
};

// Adds the sums over `size` values.
DL_ISA_CLONES void AddSums(const float* before, const float* after, int64_t size, Sums& sums) {
  ForEachRun(size, [&](int64_t from, int64_t of_run) {
    const float *b = before + from, *a = after + from;
    Lanes absolute{}, changed{}, squared{};
    float *to_absolute = absolute.data(), *to_changed = changed.data(),
          *to_squared = squared.data();
    ForEachValue(of_run, [=](int64_t i, int64_t lane) {
      const float change = a[i] - b[i];
      to_absolute[lane] += std::abs(a[i]);
      to_changed[lane] += std::abs(change);
      to_squared[lane] += change * change;
    });
    sums.absolute += Total(absolute);
    sums.changed += Total(changed);
    sums.squared += Total(squared);
  });
}

DL_ISA_CLONES double SquaredDistance(const float* before, const float* after, int64_t size) {
  double total = 0;
  ForEachRun(size, [&](int64_t from, int64_t of_run) {
    const float *b = before + from, *a = after + from;
    Lanes squared{};
    float* to = squared.data();
    ForEachValue(of_run, [=](int64_t i, int64_t lane) {
      const float change = a[i] - b[i];
      to[lane] += change * change;
    });
    total += Total(squared);
  });
  return total;
}

DL_ISA_CLONES double SquaredNorm(const float* values, int64_t size) {
  double total = 0;
  ForEachRun(size, [&](int64_t from, int64_t of_run) {
    const float* v = values + from;
    Lanes squared{};
    float* to = squared.data();
    ForEachValue(of_run, [=](int64_t i, int64_t lane) { to[lane] += v[i] * v[i]; });
    total += Total(squared);
  });
  return total;
}

}  // namespace

std::span<const float> ValuesOf(const Segment& segment, std::span<const float> model) {
  return model.subspan(static_cast<size_t>(segment.offset), static_cast<size_t>(segment.size));
}

std::vector<ModelLayer> LayersOf(const SegmentTable& model) {
  std::vector<ModelLayer> layers;
  std::map<std::string, size_t> by_name;
  for (const Segment& segment : model.segments()) {
    if (segment.kind != SegmentKind::kParameter) continue;
    const std::string name = segment.name.substr(0, segment.name.rfind('.'));
    const auto [place, is_new] = by_name.emplace(name, layers.size());
    if (is_new) layers.push_back({.name = name});
    ModelLayer& layer = layers[place->second];
    layer.parameters.push_back(segment);
    layer.values += segment.size;
  }
  return layers;
}

std::vector<LayerStatistics> MeasureLayers(std::span<const ModelLayer> layers,
                                           std::span<const float> before,
                                           std::span<const float> after) {
  std::vector<LayerStatistics> statistics;
  for (const ModelLayer& layer : layers) {
    Sums sums;
    for (const Segment& segment : layer.parameters) {
      AddSums(ValuesOf(segment, before).data(), ValuesOf(segment, after).data(), segment.size,
              sums);
    }
    const auto values = static_cast<double>(layer.values);
    statistics.push_back({.size = sums.absolute / values,
                          .change = sums.changed / values,
                          .change_norm = std::sqrt(sums.squared)});
  }
  return statistics;
}

std::vector<double> SquaredDistances(std::span<const ModelLayer> layers, std::span<const float> a,
                                     std::span<const float> b) {
  std::vector<double> squares;
  for (const ModelLayer& layer : layers) {
    double square = 0;
    for (const Segment& segment : layer.parameters) {
      const float* values = ValuesOf(segment, a).data();
      square += b.empty() ? SquaredNorm(values, segment.size)
                          : SquaredDistance(ValuesOf(segment, b).data(), values, segment.size);
    }
    squares.push_back(square);
  }
  return squares;
}

std::vector<double> DriftOf(std::span<const WeightedDistances> of_results,
                            std::span<const double> of_mean) {
  std::vector<double> drifts;
  for (size_t layer = 0; layer < of_mean.size(); ++layer) {
    double mean_square = 0;
    for (const WeightedDistances& result : of_results)
      mean_square += result.weight * result.squares[layer];
    const double apart = std::max(0.0, mean_square - of_mean[layer]);
    drifts.push_back(of_mean[layer] > 0 ? std::sqrt(apart / of_mean[layer])
                                        : std::numeric_limits<double>::quiet_NaN());
  }
  return drifts;
}

}  // namespace dl::averaging
