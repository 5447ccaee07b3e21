#include "dataset/readers/table/distinct_count.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dl::dataset {
namespace {

constexpr size_t kFirstSlots = 64, kLeastWaiting = 16;

// Returns how many of the slots may be used, so that few hashes are far from their own slot. With
// 4 * most slots, rounded down to a power of two, these are more than `most`.
size_t MostUsed(size_t slots) { return slots / 8 * 5; }

}  // namespace

void DistinctCount::InsertWaiting() {
  if (waiting_.empty()) waiting_.resize(std::max(kLeastWaiting, most_ / 4));
  constexpr size_t kAhead = 8;
  for (size_t i = 0; i < waiting_count_; ++i) {
    if (i + kAhead < waiting_count_ && !slots_.empty())
      __builtin_prefetch(&slots_[waiting_[i + kAhead] & (slots_.size() - 1)]);
    Insert(waiting_[i]);
  }
  waiting_count_ = 0;
}

void DistinctCount::Insert(uint64_t hash) {
  if (hash > largest_) return;
  if (hash == 0) {
    has_zero_ = true;
    return;
  }
  if (slots_.empty()) slots_.resize(std::min(kFirstSlots, std::bit_floor(4 * most_)));
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    if (slots_[at] == hash) return;
  }
  slots_[at] = hash;
  if (++used_ > MostUsed(slots_.size())) MakeRoom();
}

void DistinctCount::MakeRoom() {
  if (2 * slots_.size() <= 4 * most_)
    Refill(2 * slots_.size(), Hashes());
  else
    DropLargest();
}

std::vector<uint64_t> DistinctCount::Hashes() const {
  std::vector<uint64_t> hashes;
  hashes.reserve(used_);
  for (const uint64_t hash : slots_) {
    if (hash != 0) hashes.push_back(hash);
  }
  return hashes;
}

void DistinctCount::DropLargest() {
  std::vector<uint64_t> hashes = Hashes();
  const size_t kept = most_ - (has_zero_ ? 1 : 0);
  std::nth_element(hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(kept) - 1,
                   hashes.end());
  hashes.resize(kept);
  is_full_ = true;
  largest_ = hashes.back();
  Refill(slots_.size(), hashes);
}

void DistinctCount::Refill(size_t size, const std::vector<uint64_t>& hashes) {
  slots_.assign(size, 0);
  const size_t mask = size - 1;
  for (const uint64_t hash : hashes) {
    size_t at = hash & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = hash;
  }
  used_ = hashes.size();
}

void DistinctCount::AddDistinct(std::vector<uint64_t>& hashes) {
  if (hashes.size() > most_) {
    // Larger hashes cannot be among the `most_` smallest.
    const auto last = hashes.begin() + static_cast<std::ptrdiff_t>(most_) - 1;
    std::nth_element(hashes.begin(), last, hashes.end());
    is_full_ = true;
    largest_ = std::min(largest_, *last);
    hashes.resize(most_);
  }
  for (const uint64_t hash : hashes) Add(hash);
}

int64_t DistinctCount::Count() {
  InsertWaiting();
  if (size() > most_) DropLargest();
  if (!is_full_) return static_cast<int64_t>(size());
  const double share = static_cast<double>(largest_) / static_cast<double>(UINT64_MAX);
  return std::llround(static_cast<double>(most_ - 1) / share);
}

}  // namespace dl::dataset
