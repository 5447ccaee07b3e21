// Counts of examples by their score that merge exactly. Evaluations on a cluster compute from them
// how well probabilities rank positives before others.
//
// Scores are probabilities p, rounded to one of ScoreCounts::ScoresOf(outputs) values. For p <= 1/2
// the value is the exponent and the first bits of the mantissa of p, for p > 1/2 those of 1 - p. A
// distance from 0 or 1 below 2^-64 counts as 0. For one or two outputs, 7 bits of the mantissa are
// kept: two scores are equal if their distances agree to about one part in 128. For 3 or 4 outputs
// 6 bits are kept, for 5 to 8 outputs 5 bits, and so on. Areas under curves are exact for the
// rounded scores; a pair of equal scores counts half. Without rounding, each announcement and each
// record of an evaluation could have as many counts as the test set has examples.
//
// An example counts 1, or its weight in units of kUnit, rounded. The sums are therefore integers,
// and do not depend on the order of the examples. A sum that does not fit stays at the largest
// integer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nn/metrics/ranking.h"

namespace dl::nn {

// Counts for one or more outputs: for each class against all others (with two classes only for
// class 1), or for each question of a model that answers several. A plain value; not thread-safe.
class ScoreCounts {
 public:
  // The count of an example whose weight is 1, if examples have weights.
  static constexpr double kUnit = 0x1.0p24;
  // The largest weight. Larger weights count as this.
  static constexpr double kLargestWeight = 0x1.0p30;

  // Returns the number of values to which the scores of each output are rounded. REQUIRES: 1 to
  // limits::kMaxAnnouncedScoreOutputs outputs.
  static int64_t ScoresOf(int64_t outputs);

  // REQUIRES: as for ScoresOf.
  explicit ScoreCounts(int64_t outputs = 1) : outputs_(outputs) {}

  enum class Unit { kExamples, kWeights };
  // Adds examples with their scores for an output. With Unit::kExamples each counts 1, with
  // Unit::kWeights its weight. Ignores a score of NaN, because the loss of that example is not
  // finite and MetricSums counts it.
  void Add(int64_t output, std::span<const ScoredExample> examples, Unit unit);
  // Converts counts of examples to sums of weights that are all 1.
  void CountWeights();
  // Returns false and changes nothing if the numbers of outputs differ. REQUIRES: both have the
  // same unit.
  [[nodiscard]] bool Merge(const ScoreCounts& other);

  int64_t outputs() const { return outputs_; }
  // Returns whether this number of examples can have these counts: no output has more cells than
  // examples, nor a larger sum than the examples can add up to.
  bool ArePossible(int64_t examples, Unit unit) const;
  // Returns the means over the outputs that have both positives and others; nullopt if none has.
  std::optional<Ranking> Rank() const;
  int64_t Bytes() const { return static_cast<int64_t>(entries_.size() * sizeof(Entry)); }

  // Returns cell, positives and others of each cell that occurs, ascending. The cell is output *
  // ScoresOf(outputs) + score. Documents use this form.
  std::vector<int64_t> ToList() const;
  // Returns nullopt if ToList cannot return the list.
  static std::optional<ScoreCounts> FromList(int64_t outputs, std::span<const int64_t> list);

  bool operator==(const ScoreCounts&) const = default;

 private:
  struct Entry {
    int64_t cell = 0;
    int64_t positives = 0, others = 0;  // not both 0
    bool operator==(const Entry&) const = default;
  };
  // Adds entries in ascending order.
  void AddEntries(std::span<const Entry> more);
  static std::optional<Ranking> RankOf(std::span<const Entry> entries);
  // Calls visit(entries of the output) for each output that has any, in ascending order.
  template <typename Visit>
  void VisitOutputs(const Visit& visit) const;

  int64_t outputs_ = 1;
  std::vector<Entry> entries_;  // by ascending cell
};

}  // namespace dl::nn
