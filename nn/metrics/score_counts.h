// Counts of examples by their score that merge exactly: what evaluations on a cluster know of how
// well probabilities put positives before others.
//
// Scores are probabilities p, which are rounded to one of limits::kMaxAnnouncedScores classes. The
// class of p <= 1/2 is given by the exponent and the first 7 bits of the mantissa of p, the class
// of p > 1/2 by those of 1 - p. A distance from 0 or 1 below 2^-64 counts as 0. Two scores are
// hence equal if their distances agree to about one part in 128. Areas under curves are exact for
// the rounded scores; a pair of equal scores counts half. The counts of unrounded scores would be
// as many as the test set has examples, in each announcement and in each record of an evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nn/metrics/ranking.h"

namespace dl::nn {

// Plain value; not thread-safe.
class ScoreCounts {
 public:
  // NaN is left out: the loss of its example is not finite, and MetricSums counts it.
  void Add(float p, bool positive);
  // False, and nothing changes, when a count does not fit.
  [[nodiscard]] bool Merge(const ScoreCounts& other);

  int64_t examples() const;
  // Returns nullopt if there are no positives or no others.
  std::optional<Ranking> Rank() const;
  int64_t Bytes() const { return static_cast<int64_t>(entries_.size() * sizeof(Entry)); }

  // Class, positives and others of each class that occurs, ascending: the form of documents.
  std::vector<int64_t> ToList() const;
  // Returns nullopt for a list that ToList does not make.
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
