#include "nn/metrics/sequence_report.h"

#include <algorithm>
#include <numeric>

namespace dl::nn {

// Levenshtein distance, computed row by row: Wagner, Fischer, "The string-to-string correction
// problem", 1974.
void SequenceReport::Add(std::span<const int32_t> predicted, std::span<const int32_t> labels) {
  row_.resize(labels.size() + 1);
  std::iota(row_.begin(), row_.end(), int64_t{0});
  for (const int32_t given : predicted) {
    int64_t diagonal = row_[0]++;
    for (size_t i = 0; i < labels.size(); ++i) {
      const int64_t exchanged = diagonal + (given == labels[i] ? 0 : 1);
      diagonal = row_[i + 1];
      row_[i + 1] = std::min({exchanged, diagonal + 1, row_[i] + 1});
    }
  }
  edits_ += row_.back();
  labels_ += static_cast<int64_t>(labels.size());
}

}  // namespace dl::nn
