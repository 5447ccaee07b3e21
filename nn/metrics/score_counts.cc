#include "nn/metrics/score_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/limits.h"
#include "base/status.h"

namespace dl::nn {
namespace {

constexpr int kMantissaBits = 23;  // of float32
constexpr int kMostKept = 7;
constexpr float kLeast = 0x1.0p-64f;

// Rounds probabilities to numbers from 0 to 2 * half().
class Rounding {
 public:
  constexpr explicit Rounding(int kept_bits) : dropped_(kMantissaBits - kept_bits) {}

  constexpr int64_t half() const { return Kept(0.5f) - BeforeLeast(); }
  // REQUIRES: p is not NaN.
  int64_t NumberOf(float p) const {
    const auto of = [&](float distance) -> int64_t {
      return distance < kLeast ? 0 : Kept(distance) - BeforeLeast();
    };
    return p <= 0.5f ? of(p) : 2 * half() - of(1.0f - p);
  }

 private:
  constexpr int64_t Kept(float distance) const {
    return std::bit_cast<uint32_t>(distance) >> dropped_;
  }
  constexpr int64_t BeforeLeast() const { return Kept(kLeast) - 1; }

  int dropped_;
};
static_assert(2 * Rounding(kMostKept).half() + 1 == limits::kMaxAnnouncedScores);

Rounding RoundingOf(int64_t outputs) {
  DL_CHECK(outputs >= 1 && outputs <= limits::kMaxAnnouncedScoreOutputs);
  // Two outputs keep as many bits as one.
  const auto halvings =
      std::bit_width(static_cast<uint64_t>(std::max<int64_t>(0, outputs - 1) / 2));
  return Rounding(kMostKept - static_cast<int>(halvings));
}

// Stays at the largest integer, so that the result does not depend on the order of additions.
// REQUIRES: both are at least 0.
void AddCount(int64_t& sum, int64_t count) {
  if (__builtin_add_overflow(sum, count, &sum)) sum = std::numeric_limits<int64_t>::max();
}

}  // namespace

int64_t ScoreCounts::ScoresOf(int64_t outputs) { return 2 * RoundingOf(outputs).half() + 1; }

void ScoreCounts::Add(int64_t output, std::span<const ScoredExample> examples, Unit unit) {
  const Rounding rounding = RoundingOf(outputs_);
  const int64_t first = output * ScoresOf(outputs_);
  std::vector<Entry> added;
  for (const ScoredExample& example : examples) {
    if (std::isnan(example.score)) continue;
    const double weight = std::min<double>(example.weight, kLargestWeight);
    const int64_t count = unit == Unit::kExamples ? 1 : std::llround(weight * kUnit);
    if (count == 0) continue;
    added.push_back({.cell = first + rounding.NumberOf(example.score),
                     .positives = example.positive ? count : 0,
                     .others = example.positive ? 0 : count});
  }
  std::ranges::sort(added, {}, &Entry::cell);
  AddEntries(added);
}

void ScoreCounts::AddEntries(std::span<const Entry> more) {
  if (more.empty()) return;
  std::vector<Entry> absent;  // cells that entries_ does not have
  auto place = std::ranges::lower_bound(entries_, more.front().cell, {}, &Entry::cell);
  for (const Entry& entry : more) {
    while (place != entries_.end() && place->cell < entry.cell) ++place;
    const bool has = place != entries_.end() && place->cell == entry.cell;
    if (!has && (absent.empty() || absent.back().cell != entry.cell)) {
      absent.push_back(entry);
      continue;
    }
    Entry& sum = has ? *place : absent.back();
    AddCount(sum.positives, entry.positives);
    AddCount(sum.others, entry.others);
  }
  if (absent.empty()) return;
  std::vector<Entry> all;
  all.reserve(entries_.size() + absent.size());
  std::ranges::merge(entries_, absent, std::back_inserter(all), {}, &Entry::cell, &Entry::cell);
  entries_ = std::move(all);
}

void ScoreCounts::CountWeights() {
  constexpr auto kLargest = std::numeric_limits<int64_t>::max();
  constexpr auto kFactor = static_cast<int64_t>(kUnit);
  for (Entry& entry : entries_) {
    for (int64_t* count : {&entry.positives, &entry.others})
      *count = *count > kLargest / kFactor ? kLargest : *count * kFactor;
  }
}

bool ScoreCounts::Merge(const ScoreCounts& other) {
  if (outputs_ != other.outputs_) return false;
  AddEntries(other.entries_);
  return true;
}

template <typename Visit>
void ScoreCounts::VisitOutputs(const Visit& visit) const {
  const int64_t scores = ScoresOf(outputs_);
  const std::span<const Entry> all(entries_);
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    const int64_t output = all[begin].cell / scores;
    while (end < all.size() && all[end].cell / scores == output) ++end;
    visit(all.subspan(begin, end - begin));
  }
}

bool ScoreCounts::ArePossible(int64_t examples, Unit unit) const {
  constexpr auto kMostOfOne = static_cast<int64_t>(kLargestWeight * kUnit);
  constexpr auto kLargest = std::numeric_limits<int64_t>::max();
  int64_t most = examples;
  if (unit == Unit::kWeights && __builtin_mul_overflow(examples, kMostOfOne, &most))
    most = kLargest;
  bool are_possible = true;
  VisitOutputs([&](std::span<const Entry> own) {
    int64_t sum = 0;
    for (const Entry& entry : own) {
      AddCount(sum, entry.positives);
      AddCount(sum, entry.others);
    }
    are_possible = are_possible && std::ssize(own) <= examples && sum <= most;
  });
  return are_possible;
}

std::optional<Ranking> ScoreCounts::RankOf(std::span<const Entry> entries) {
  double positives = 0, others = 0;
  for (const Entry& entry : entries) {
    positives += static_cast<double>(entry.positives);
    others += static_cast<double>(entry.others);
  }
  if (positives == 0 || others == 0) return std::nullopt;
  double half_pairs = 0, precision_by_recall = 0, positives_above = 0, others_above = 0;
  for (size_t i = entries.size(); i-- > 0;) {
    const auto p = static_cast<double>(entries[i].positives);
    const auto n = static_cast<double>(entries[i].others);
    half_pairs += p * (2 * (others - others_above - n) + n);
    positives_above += p;
    others_above += n;
    if (p > 0) precision_by_recall += p * positives_above / (positives_above + others_above);
  }
  // Rounded sums of weights may be a little outside of 0 to 1.
  return Ranking{.roc_auc = std::clamp(half_pairs / 2 / positives / others, 0.0, 1.0),
                 .average_precision = std::min(1.0, precision_by_recall / positives)};
}

std::optional<Ranking> ScoreCounts::Rank() const {
  Ranking sum;
  int64_t ranked = 0;
  VisitOutputs([&](std::span<const Entry> entries) {
    const std::optional<Ranking> own = RankOf(entries);
    if (!own) return;
    sum.roc_auc += own->roc_auc;
    sum.average_precision += own->average_precision;
    ++ranked;
  });
  if (ranked == 0) return std::nullopt;
  const auto count = static_cast<double>(ranked);
  return Ranking{.roc_auc = sum.roc_auc / count,
                 .average_precision = sum.average_precision / count};
}

std::vector<int64_t> ScoreCounts::ToList() const {
  std::vector<int64_t> list;
  list.reserve(3 * entries_.size());
  for (const Entry& entry : entries_)
    list.insert(list.end(), {entry.cell, entry.positives, entry.others});
  return list;
}

std::optional<ScoreCounts> ScoreCounts::FromList(int64_t outputs, std::span<const int64_t> list) {
  if (list.size() % 3 != 0) return std::nullopt;
  ScoreCounts counts(outputs);
  const int64_t cells = outputs * ScoresOf(outputs);
  for (size_t i = 0; i < list.size(); i += 3) {
    const Entry entry{.cell = list[i], .positives = list[i + 1], .others = list[i + 2]};
    const int64_t before = counts.entries_.empty() ? -1 : counts.entries_.back().cell;
    const bool is_next = entry.cell > before && entry.cell < cells;
    if (!is_next || entry.positives < 0 || entry.others < 0 ||
        (entry.positives == 0 && entry.others == 0))
      return std::nullopt;
    counts.entries_.push_back(entry);
  }
  return counts;
}

}  // namespace dl::nn
