// Counts of examples by their score that merge exactly. Evaluations on a cluster compute from them
// how well probabilities rank positives before others.
//
// Scores are probabilities p, rounded to one of limits::kMaxAnnouncedScores classes. For p <= 1/2
// the class is the exponent and the first 7 bits of the mantissa of p, for p > 1/2 those of 1 - p.
// A distance from 0 or 1 below 2^-64 counts as 0. Two scores are therefore equal if their distances
// agree to about one part in 128. Areas under curves are exact for the rounded scores; a pair of
// equal scores counts half. Without rounding, each announcement and each record of an evaluation
// could have as many counts as the test set has examples.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nn/metrics/ranking.h"

namespace dl::nn {

// A plain value; not thread-safe.
class ScoreCounts {
 public:
  // Ignores NaN, because the loss of its example is not finite and MetricSums counts that.
  void Add(float p, bool positive);
  // Returns false and changes nothing if a count does not fit.
  [[nodiscard]] bool Merge(const ScoreCounts& other);

  int64_t examples() const;
  // Returns nullopt if there are no positives or no others.
  std::optional<Ranking> Rank() const;
  int64_t Bytes() const { return static_cast<int64_t>(entries_.size() * sizeof(Entry)); }

  // Returns class, positives and others of each class that occurs, ascending. Documents use this
  // form.
  std::vector<int64_t> ToList() const;
  // Returns nullopt if ToList cannot return the list.
  static std::optional<ScoreCounts> FromList(std::span<const int64_t> list);

  bool operator==(const ScoreCounts&) const = default;

 private:
  struct Entry {
    int64_t score = 0;  // the class
    int64_t positives = 0, others = 0;
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> entries_;  // by ascending score
};

}  // namespace dl::nn
