#include "averaging/layer_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

namespace dl::averaging {
namespace {

// Sums are taken in float over short runs, in lanes that the compiler vectorizes, and in double
// over the runs.
constexpr size_t kLanes = 16;
constexpr size_t kRun = 256 * kLanes;

using Lanes = std::array<float, kLanes>;

double Total(const Lanes& lanes) {
  double total = 0;
  for (const float lane : lanes) total += lane;
  return total;
}

struct Sums {
  double absolute = 0, changed = 0, squared = 0;
};

// Adds the sums over a run of at most kRun values.
void AddRun(std::span<const float> before, std::span<const float> after, Sums& sums) {
  Lanes absolute{}, changed{}, squared{};
  size_t i = 0;
  for (; i + kLanes <= after.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const float value = after[i + lane], change = value - before[i + lane];
      absolute[lane] += std::abs(value);
      changed[lane] += std::abs(change);
      squared[lane] += change * change;
    }
  }
  for (size_t lane = 0; i < after.size(); ++i, ++lane) {
    const float value = after[i], change = value - before[i];
    absolute[lane] += std::abs(value);
    changed[lane] += std::abs(change);
    squared[lane] += change * change;
  }
  sums.absolute += Total(absolute);
  sums.changed += Total(changed);
  sums.squared += Total(squared);
}

double SquaredNorm(std::span<const float> values) {
  double total = 0;
  for (size_t from = 0; from < values.size(); from += kRun) {
    const auto run = values.subspan(from, std::min(kRun, values.size() - from));
    Lanes squared{};
    size_t i = 0;
    for (; i + kLanes <= run.size(); i += kLanes) {
      for (size_t lane = 0; lane < kLanes; ++lane) squared[lane] += run[i + lane] * run[i + lane];
    }
    for (size_t lane = 0; i < run.size(); ++i, ++lane) squared[lane] += run[i] * run[i];
    total += Total(squared);
  }
  return total;
}

Sums SumsOf(std::span<const float> before, std::span<const float> after) {
  Sums sums;
  for (size_t from = 0; from < after.size(); from += kRun) {
    const size_t size = std::min(kRun, after.size() - from);
    AddRun(before.subspan(from, size), after.subspan(from, size), sums);
  }
  return sums;
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
      const Sums more = SumsOf(ValuesOf(segment, before), ValuesOf(segment, after));
      sums.absolute += more.absolute;
      sums.changed += more.changed;
      sums.squared += more.squared;
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
      square += b.empty() ? SquaredNorm(ValuesOf(segment, a))
                          : SumsOf(ValuesOf(segment, b), ValuesOf(segment, a)).squared;
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
