#include "dataset/readers/table/distinct_count.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dl::dataset {

void DistinctCount::Compact() {
  std::sort(hashes_.begin(), hashes_.end());
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  if (hashes_.size() <= most_) return;
  is_full_ = true;
  hashes_.resize(most_);
  largest_ = hashes_.back();
}

void DistinctCount::MakeRoom() {
  Compact();
  if (!recent_.empty()) return;
  recent_.resize(std::bit_floor(most_));
  // No hash with low bits i equals i ^ 1.
  for (size_t i = 0; i < recent_.size(); ++i) recent_[i] = i ^ 1;
}

int64_t DistinctCount::Count() {
  Compact();
  if (!is_full_) return static_cast<int64_t>(hashes_.size());
  const double share = static_cast<double>(largest_) / static_cast<double>(UINT64_MAX);
  return std::llround(static_cast<double>(most_ - 1) / share);
}

}  // namespace dl::dataset
