#include "base/suggest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace dl {

// "Optimal string alignment": Levenshtein's table, which also uses the row before the previous one
// for two swapped letters.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> two_up(b.size() + 1);
  std::vector<size_t> up(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    two_up.swap(up);
    up.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = up[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, up[j] + 1, row[j - 1] + 1});
      const bool crossed = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (crossed) row[j] = std::min(row[j], two_up[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string Nearest(std::string_view word, std::span<const std::string> candidates) {
  constexpr size_t kLongestWord = 200;  // keys from outside may be long; the table is quadratic
  if (word.size() > kLongestWord) return "";
  std::string best;
  size_t best_distance = word.size() / 3 + 2;  // a larger distance means an unrelated word
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const size_t distance = EditDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string DidYouMean(std::string_view word, std::span<const std::string> candidates) {
  const std::string nearest = Nearest(word, candidates);
  return nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?";
}

}  // namespace dl
