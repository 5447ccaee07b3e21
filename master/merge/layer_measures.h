// Measures the layers of a job's model in each round: their statistics, and how far the workers'
// results lie apart. Used by the merge thread only.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "averaging/layer_statistics.h"
#include "base/value_histogram.h"
#include "master/merge/round_merger.h"
#include "master/merge/round_state.h"

namespace dl::master {

class LayerMeasures {
 public:
  // Measures nothing if the model has more than averaging::kMaxMeasuredLayers layers, or if the
  // material says so.
  explicit LayerMeasures(const JobMaterial& material);

  // Measures a contribution when it arrives. `base` is the state before the round.
  void Add(int64_t round, const RoundMerger::Contribution& contribution, const RoundState& base);

  // Returns the drift of each layer, or an empty list for fewer than two contributions. Measures
  // contributions that were not added. `mean` is the model part of the mean of the contributions.
  std::vector<double> Drift(int64_t round, std::span<const RoundMerger::Contribution> contributions,
                            const averaging::Weights& weights, const RoundState& base,
                            std::span<const float> mean);

  // Returns the statistics of the step from the model `before` to `after`, with the drift unless it
  // is empty.
  std::vector<averaging::LayerStatistics> Statistics(std::span<const float> before,
                                                     std::span<const float> after,
                                                     std::span<const double> drift) const;

  // Histograms of the parameters after a round, and of their changes, in the form of
  // EncodeHistograms. Empty if the round has none.
  struct Histograms {
    std::string parameters, changes;
  };
  Histograms HistogramsOf(int64_t round, std::span<const float> before,
                          std::span<const float> after);

 private:
  std::vector<double> DistancesOf(std::span<const float> model, const RoundState& base) const;

  const averaging::Strategy& strategy_;
  const int64_t histograms_every_;
  HistogramCounter counter_;
  std::vector<averaging::ModelLayer> layers_;
  int64_t round_ = -1;
  // Squared distances of the results of round_ that were measured, by worker and hash.
  std::map<std::pair<int32_t, uint64_t>, std::vector<double>> measured_;
};

}  // namespace dl::master
