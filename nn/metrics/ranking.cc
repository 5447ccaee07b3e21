#include "nn/metrics/ranking.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace dl::nn {

std::optional<Ranking> RankingOf(std::span<ScoredExample> examples) {
  const auto is_nan = [](const ScoredExample& example) { return std::isnan(example.score); };
  if (std::ranges::any_of(examples, is_nan)) return std::nullopt;
  double positives = 0, others = 0;
  for (const ScoredExample& example : examples)
    (example.positive ? positives : others) += static_cast<double>(example.weight);
  if (positives == 0 || others == 0) return std::nullopt;
  // By all members, so that rounded sums do not depend on the order in which examples are given.
  std::ranges::sort(examples, std::ranges::greater(), [](const ScoredExample& example) {
    return std::tuple(example.score, example.positive, example.weight);
  });

  // Pairs are counted in halves. Without weights these are integers below 2^53 for as many examples
  // as memory can hold.
  double half_pairs = 0, precision_by_recall = 0;
  double positives_above = 0, others_above = 0;
  for (size_t begin = 0; begin < examples.size();) {
    size_t end = begin;
    double positives_here = 0, others_here = 0;
    for (; end < examples.size() && examples[end].score == examples[begin].score; ++end)
      (examples[end].positive ? positives_here : others_here) +=
          static_cast<double>(examples[end].weight);
    const double others_below = others - others_above - others_here;
    half_pairs += positives_here * (2 * others_below + others_here);
    positives_above += positives_here;
    others_above += others_here;
    if (positives_here > 0)
      precision_by_recall += positives_here * positives_above / (positives_above + others_above);
    begin = end;
  }
  // Rounded sums of weights may come to a little more than 1.
  return Ranking{.roc_auc = std::min(1.0, half_pairs / 2 / positives / others),
                 .average_precision = std::min(1.0, precision_by_recall / positives)};
}

}  // namespace dl::nn
