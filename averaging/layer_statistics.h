// Measures the layers of a model: the size of their parameters, and how far a round changed them.
// The figures are shown to users and never enter a result. Pure functions.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/segment_table.h"

namespace dl::averaging {

// Models with more layers are not measured, so that the figures of a round stay small.
inline constexpr size_t kMaxMeasuredLayers = 240;

// The parameters of a layer: the segments whose names differ only after the last dot.
struct ModelLayer {
  std::string name;  // "conv1" for the segments "conv1.weight" and "conv1.bias"
  std::vector<Segment> parameters;
  int64_t values = 0;  // number of values of all parameters
};

// Returns the layers of a model that have parameters, in the order of their first segments.
// Segments of other kinds than kParameter are left out.
std::vector<ModelLayer> LayersOf(const SegmentTable& model);

// Returns the values of a segment of the model. `model` has the model's table.
std::span<const float> ValuesOf(const Segment& segment, std::span<const float> model);

struct LayerStatistics {
  double size = 0;         // mean absolute value of the parameters after the round
  double change = 0;       // mean absolute difference from the parameters before the round
  double change_norm = 0;  // L2 norm of these differences
  // How far the workers' results lie apart: the root of the weighted mean of their squared
  // distances from their mean, divided by the distance of that mean from the parameters before the
  // round. NaN if this was not measured, or the mean did not change.
  double drift = std::numeric_limits<double>::quiet_NaN();
};

// Returns the statistics of each layer, without drift. Both vectors have the model's table. Takes
// one pass over them.
std::vector<LayerStatistics> MeasureLayers(std::span<const ModelLayer> layers,
                                           std::span<const float> before,
                                           std::span<const float> after);

// Returns the squared L2 distance of `a` from `b` for each layer. An empty `b` means zeros.
std::vector<double> SquaredDistances(std::span<const ModelLayer> layers, std::span<const float> a,
                                     std::span<const float> b);

// Returns the drift of each layer. `of_results` has, for each result, its weight (the weights add
// up to 1) and its squared distances from the parameters before the round; `of_mean` the squared
// distances of their mean. With weights p, results x, mean m and parameters b before the round:
//   sum p |x - m|^2 = sum p |x - b|^2 - |m - b|^2
struct WeightedDistances {
  double weight = 0;
  std::vector<double> squares;
};
std::vector<double> DriftOf(std::span<const WeightedDistances> of_results,
                            std::span<const double> of_mean);

}  // namespace dl::averaging
