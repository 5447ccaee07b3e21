#include "master/merge/layer_measures.h"

#include <cstddef>

#include "job/measured_unit.h"

namespace dl::master {

LayerMeasures::LayerMeasures(const JobMaterial& material)
    : strategy_(*material.strategy), histograms_every_(material.histograms_every) {
  layers_ = averaging::LayersOf(strategy_.layout().model().table);
  if (layers_.size() > averaging::kMaxMeasuredLayers || !material.measures_layers) layers_.clear();
}

std::vector<double> LayerMeasures::DistancesOf(std::span<const float> model,
                                               const RoundState& base) const {
  const std::span<const float> before =
      strategy_.ContributesChanges() ? std::span<const float>()
                                     : base.parts.at(strategy_.layout().model().name)->span();
  return SquaredDistances(layers_, model, before);
}

void LayerMeasures::Add(int64_t round, const RoundMerger::Contribution& contribution,
                        const RoundState& base) {
  if (round != round_) measured_.clear();
  round_ = round;
  measured_[{contribution.worker, contribution.hash}] =
      DistancesOf(strategy_.layout().model().In(contribution.vector->span()), base);
}

std::vector<double> LayerMeasures::Drift(int64_t round,
                                         std::span<const RoundMerger::Contribution> contributions,
                                         const averaging::Weights& weights, const RoundState& base,
                                         std::span<const float> mean) {
  if (contributions.size() < 2) return {};
  std::vector<averaging::WeightedDistances> results;
  for (const RoundMerger::Contribution& contribution : contributions) {
    const std::pair key(contribution.worker, contribution.hash);
    if (round != round_ || !measured_.contains(key)) Add(round, contribution, base);
    const int64_t weight = weights.weight[static_cast<size_t>(contribution.worker)];
    results.push_back({.weight = static_cast<double>(weight) / static_cast<double>(weights.sum),
                       .squares = measured_.at(key)});
  }
  return averaging::DriftOf(results, DistancesOf(mean, base));
}

std::vector<averaging::LayerStatistics> LayerMeasures::Statistics(
    std::span<const float> before, std::span<const float> after,
    std::span<const double> drift) const {
  std::vector<averaging::LayerStatistics> statistics =
      averaging::MeasureLayers(layers_, before, after);
  for (size_t i = 0; i < drift.size(); ++i) statistics[i].drift = drift[i];
  return statistics;
}

LayerMeasures::Histograms LayerMeasures::HistogramsOf(int64_t round, std::span<const float> before,
                                                      std::span<const float> after) {
  if (layers_.empty() || !job::RecordsHistograms(histograms_every_, round)) return {};
  std::vector<LayerHistogram> parameters, changes;
  for (const averaging::ModelLayer& layer : layers_) {
    for (const Segment& segment : layer.parameters)
      counter_.Add(averaging::ValuesOf(segment, after));
    parameters.push_back({.layer = layer.name, .values = counter_.Take()});
    for (const Segment& segment : layer.parameters) {
      counter_.AddDifferences(averaging::ValuesOf(segment, before),
                              averaging::ValuesOf(segment, after));
    }
    changes.push_back({.layer = layer.name, .values = counter_.Take()});
  }
  return {.parameters = EncodeHistograms(parameters), .changes = EncodeHistograms(changes)};
}

}  // namespace dl::master
