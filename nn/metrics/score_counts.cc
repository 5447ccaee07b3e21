#include "nn/metrics/score_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/limits.h"

namespace dl::nn {
namespace {

constexpr int kDroppedBits = 16;  // of float32; keeps 7 bits of the mantissa
constexpr float kLeast = 0x1.0p-64f;
constexpr int64_t kBeforeLeast = (std::bit_cast<uint32_t>(kLeast) >> kDroppedBits) - 1;
constexpr int64_t kHalf = (std::bit_cast<uint32_t>(0.5f) >> kDroppedBits) - kBeforeLeast;
static_assert(2 * kHalf + 1 == limits::kMaxAnnouncedScores);

// Returns a class from 0 to 2 * kHalf. REQUIRES: p is not NaN.
int64_t ClassOf(float p) {
  const auto of = [](float distance) -> int64_t {
    if (distance < kLeast) return 0;
    return (std::bit_cast<uint32_t>(distance) >> kDroppedBits) - kBeforeLeast;
  };
  return p <= 0.5f ? of(p) : 2 * kHalf - of(1.0f - p);
}

bool AddCount(int64_t& sum, int64_t count) { return !__builtin_add_overflow(sum, count, &sum); }

}  // namespace

void ScoreCounts::Add(float p, bool positive) {
  if (std::isnan(p)) return;
  const int64_t score = ClassOf(p);
  auto place = std::ranges::lower_bound(entries_, score, {}, &Entry::score);
  if (place == entries_.end() || place->score != score)
    place = entries_.insert(place, {.score = score});
  ++(positive ? place->positives : place->others);
}

bool ScoreCounts::Merge(const ScoreCounts& other) {
  std::vector<Entry> both, merged;
  std::ranges::merge(entries_, other.entries_, std::back_inserter(both), {}, &Entry::score,
                     &Entry::score);
  for (const Entry& entry : both) {
    if (merged.empty() || merged.back().score != entry.score) {
      merged.push_back(entry);
    } else if (!AddCount(merged.back().positives, entry.positives) ||
               !AddCount(merged.back().others, entry.others)) {
      return false;
    }
  }
  entries_ = std::move(merged);
  return true;
}

int64_t ScoreCounts::examples() const {
  int64_t all = 0;
  for (const Entry& entry : entries_) all += entry.positives + entry.others;
  return all;
}

std::optional<Ranking> ScoreCounts::Rank() const {
  double positives = 0, others = 0;
  for (const Entry& entry : entries_) {
    positives += static_cast<double>(entry.positives);
    others += static_cast<double>(entry.others);
  }
  if (positives == 0 || others == 0) return std::nullopt;
  double half_pairs = 0, precision_by_recall = 0, positives_above = 0, others_above = 0;
  for (size_t i = entries_.size(); i-- > 0;) {
    const auto p = static_cast<double>(entries_[i].positives);
    const auto n = static_cast<double>(entries_[i].others);
    half_pairs += p * (2 * (others - others_above - n) + n);
    positives_above += p;
    others_above += n;
    precision_by_recall += p * positives_above / (positives_above + others_above);
  }
  return Ranking{.roc_auc = half_pairs / 2 / positives / others,
                 .average_precision = precision_by_recall / positives};
}

std::vector<int64_t> ScoreCounts::ToList() const {
  std::vector<int64_t> list;
  for (const Entry& entry : entries_)
    list.insert(list.end(), {entry.score, entry.positives, entry.others});
  return list;
}

std::optional<ScoreCounts> ScoreCounts::FromList(std::span<const int64_t> list) {
  if (list.size() % 3 != 0) return std::nullopt;
  ScoreCounts counts;
  int64_t all = 0;
  for (size_t i = 0; i < list.size(); i += 3) {
    const Entry entry{.score = list[i], .positives = list[i + 1], .others = list[i + 2]};
    const int64_t before = counts.entries_.empty() ? -1 : counts.entries_.back().score;
    const bool is_next = entry.score > before && entry.score <= 2 * kHalf;
    if (!is_next || entry.positives < 0 || entry.others < 0 ||
        (entry.positives == 0 && entry.others == 0) || !AddCount(all, entry.positives) ||
        !AddCount(all, entry.others))
      return std::nullopt;
    counts.entries_.push_back(entry);
  }
  return counts;
}

}  // namespace dl::nn
