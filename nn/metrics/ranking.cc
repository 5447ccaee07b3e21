#include "nn/metrics/ranking.h"

#include <algorithm>
#include <cmath>

namespace dl::nn {

std::optional<Ranking> RankingOf(std::span<ScoredExample> examples) {
  const auto is_nan = [](const ScoredExample& example) { return std::isnan(example.score); };
  if (std::ranges::any_of(examples, is_nan)) return std::nullopt;
  const int64_t positives = std::ranges::count_if(examples, &ScoredExample::positive);
  const int64_t others = static_cast<int64_t>(examples.size()) - positives;
  if (positives == 0 || others == 0) return std::nullopt;
  std::ranges::sort(examples, std::ranges::greater(), &ScoredExample::score);

  // Pairs are counted in halves. These are integers below 2^53 for as many examples as memory can
  // hold.
  double half_pairs = 0, precision_by_recall = 0;
  int64_t positives_above = 0, others_above = 0;
  for (size_t begin = 0; begin < examples.size();) {
    size_t end = begin;
    int64_t positives_here = 0;
    for (; end < examples.size() && examples[end].score == examples[begin].score; ++end)
      positives_here += examples[end].positive ? 1 : 0;
    const int64_t others_here = static_cast<int64_t>(end - begin) - positives_here;
    const int64_t others_below = others - others_above - others_here;
    half_pairs +=
        static_cast<double>(positives_here) * static_cast<double>(2 * others_below + others_here);
    positives_above += positives_here;
    others_above += others_here;
    precision_by_recall += static_cast<double>(positives_here) *
                           static_cast<double>(positives_above) / static_cast<double>(end);
    begin = end;
  }
  const auto p = static_cast<double>(positives), n = static_cast<double>(others);
  return Ranking{.roc_auc = half_pairs / 2 / p / n, .average_precision = precision_by_recall / p};
}

}  // namespace dl::nn
