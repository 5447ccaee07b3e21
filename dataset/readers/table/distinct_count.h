// Counts distinct values by their hashes, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dl::dataset {

// The count is exact up to `most` distinct hashes. Above that, it is estimated from the `most`
// smallest hashes (Bar-Yossef et al., Counting Distinct Elements in a Data Stream, 2002), with a
// relative error of about 1 / sqrt(most). Needs up to 34 * `most` bytes, and for a moment as many
// again. Not thread-safe.
class DistinctCount {
 public:
  // REQUIRES: most >= 2.
  explicit DistinctCount(size_t most) : most_(most) {}

  void Add(uint64_t hash) {
    if (waiting_count_ == waiting_.size()) InsertWaiting();
    // Has no branch for the hash, whose outcome could not be predicted.
    waiting_.data()[waiting_count_] = hash;
    waiting_count_ += hash <= largest_ ? 1 : 0;
  }
  // Adds hashes, none of which are equal. Needs less time than Add() for each. Reorders `hashes`.
  void AddDistinct(std::vector<uint64_t>& hashes);
  int64_t Count();  // number of distinct hashes so far; an estimate unless IsExact()
  // Whether the result of Count() is exact. Must be called after Count(), before the next Add().
  bool IsExact() const { return !is_full_; }

 private:
  void InsertWaiting();
  void Insert(uint64_t hash);
  void MakeRoom();
  // Keeps the `most_` smallest hashes. REQUIRES: there are more.
  void DropLargest();
  // Puts hashes, none of which are equal, into `size` slots.
  void Refill(size_t size, const std::vector<uint64_t>& hashes);
  std::vector<uint64_t> Hashes() const;
  size_t size() const { return used_ + (has_zero_ ? 1 : 0); }

  size_t most_;
  // Open addressing with linear probing, by the low bits of a hash. 0 is a free slot. The number of
  // slots is a power of two, at most 4 * `most_`. Empty before the first hash.
  std::vector<uint64_t> slots_;
  size_t used_ = 0;                // of slots_
  bool has_zero_ = false;          // whether the hash 0 was added
  uint64_t largest_ = UINT64_MAX;  // larger hashes do not count
  bool is_full_ = false;
  // Hashes to insert. Columns take turns, so that slots are rarely in a cache: many hashes of a
  // column are inserted together. Empty before the first hash.
  std::vector<uint64_t> waiting_;
  size_t waiting_count_ = 0;
};

}  // namespace dl::dataset
