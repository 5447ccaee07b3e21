// Statistics of layers agree with their definitions in double.
#include "averaging/layer_statistics.h"

#include <cmath>
#include <vector>

#include "base/philox.h"
#include "gtest/gtest.h"

namespace dl::averaging {
namespace {

SegmentTable Model() {
  SegmentTable table;
  table.Add("conv1.weight", SegmentKind::kParameter, {100, 99});
  table.Add("block.norm.gamma", SegmentKind::kParameter, {7});
  table.Add("conv1.bias", SegmentKind::kParameter, {100});
  table.Add("block.norm.mean", SegmentKind::kMean, {7});
  table.Add("block.norm.variance", SegmentKind::kVariance, {7});
  return table;
}

std::vector<float> Random(int64_t size, uint32_t seed) {
  RandomStream random({.seed = seed});
  std::vector<float> vector;
  for (int64_t i = 0; i < size; ++i)
    vector.push_back(static_cast<float>(0.1 + random.NextNormal()));
  return vector;
}

// Calls `add` with the values of a layer in both vectors.
template <typename Add>
void ForEach(const ModelLayer& layer, const std::vector<float>& a, const std::vector<float>& b,
             Add add) {
  for (const Segment& segment : layer.parameters) {
    for (int64_t i = segment.offset; i < segment.offset + segment.size; ++i)
      add(static_cast<double>(a[static_cast<size_t>(i)]),
          static_cast<double>(b[static_cast<size_t>(i)]));
  }
}

TEST(LayersOf, GroupsParametersByTheNameBeforeTheLastDot) {
  const std::vector<ModelLayer> layers = LayersOf(Model());
  ASSERT_EQ(layers.size(), 2);
  EXPECT_EQ(layers[0].name, "conv1");
  EXPECT_EQ(layers[0].parameters.size(), 2);
  EXPECT_EQ(layers[0].values, 10'000);
  EXPECT_EQ(layers[1].name, "block.norm");
  EXPECT_EQ(layers[1].values, 7);
}

TEST(MeasureLayers, GivesMeansAndNorms) {
  const SegmentTable model = Model();
  const auto layers = LayersOf(model);
  const std::vector<float> before = Random(model.size(), 1), after = Random(model.size(), 2);
  const auto statistics = MeasureLayers(layers, before, after);
  ASSERT_EQ(statistics.size(), layers.size());
  for (size_t i = 0; i < layers.size(); ++i) {
    double size = 0, change = 0, square = 0;
    ForEach(layers[i], before, after, [&](double b, double a) {
      size += std::abs(a);
      change += std::abs(a - b);
      square += (a - b) * (a - b);
    });
    const auto n = static_cast<double>(layers[i].values);
    EXPECT_NEAR(statistics[i].size, size / n, 1e-5 * size / n);
    EXPECT_NEAR(statistics[i].change, change / n, 1e-5 * change / n);
    EXPECT_NEAR(statistics[i].change_norm, std::sqrt(square), 1e-5 * std::sqrt(square));
    EXPECT_TRUE(std::isnan(statistics[i].drift));
  }
}

TEST(SquaredDistances, WithoutASecondVectorAreSquaredNorms) {
  const SegmentTable model = Model();
  const auto layers = LayersOf(model);
  const std::vector<float> vector = Random(model.size(), 3);
  const std::vector<float> zeros(static_cast<size_t>(model.size()));
  const auto norms = SquaredDistances(layers, vector, {});
  const auto distances = SquaredDistances(layers, vector, zeros);
  for (size_t i = 0; i < layers.size(); ++i) EXPECT_NEAR(norms[i], distances[i], 1e-6 * norms[i]);
}

TEST(DriftOf, IsTheSpreadOfTheResultsByTheLengthOfTheStep) {
  const SegmentTable model = Model();
  const auto layers = LayersOf(model);
  const std::vector<float> before = Random(model.size(), 4);
  const std::vector<double> weights = {0.5, 0.2, 0.3};
  std::vector<std::vector<float>> results;
  std::vector<float> mean(before.size());
  for (size_t r = 0; r < weights.size(); ++r) {
    results.push_back(before);
    const std::vector<float> step = Random(model.size(), static_cast<uint32_t>(10 + r));
    for (size_t i = 0; i < mean.size(); ++i) {
      results[r][i] += 0.01F * (step[i] + 1);  // a common part, and a part of its own
      mean[i] += static_cast<float>(weights[r]) * results[r][i];
    }
  }
  std::vector<WeightedDistances> of_results;
  for (size_t r = 0; r < weights.size(); ++r)
    of_results.push_back({weights[r], SquaredDistances(layers, results[r], before)});
  const auto drifts = DriftOf(of_results, SquaredDistances(layers, mean, before));
  for (size_t i = 0; i < layers.size(); ++i) {
    double apart = 0, step = 0;
    for (size_t r = 0; r < weights.size(); ++r)
      ForEach(layers[i], results[r], mean,
              [&](double x, double m) { apart += weights[r] * (x - m) * (x - m); });
    ForEach(layers[i], mean, before, [&](double m, double b) { step += (m - b) * (m - b); });
    EXPECT_NEAR(drifts[i], std::sqrt(apart / step), 1e-3 * drifts[i]);
  }
}

TEST(DriftOf, WithoutAStepIsUnknownAndWithoutSpreadIsZero) {
  const std::vector<WeightedDistances> results = {{0.5, {4.0, 0.0}}, {0.5, {4.0, 0.0}}};
  const auto drifts = DriftOf(results, std::vector<double>{4.0, 0.0});
  EXPECT_EQ(drifts[0], 0);
  EXPECT_TRUE(std::isnan(drifts[1]));
}

}  // namespace
}  // namespace dl::averaging
