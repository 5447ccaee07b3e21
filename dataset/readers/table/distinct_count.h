// Counts distinct values by their hashes, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dl::dataset {

// The count is exact up to `most` distinct hashes. Above that, it is estimated from the `most`
// smallest hashes (Bar-Yossef et al., Counting Distinct Elements in a Data Stream, 2002), with a
// relative error of about 1 / sqrt(most). Needs up to 40 * `most` bytes. Not thread-safe.
class DistinctCount {
 public:
  // REQUIRES: most >= 2.
  explicit DistinctCount(size_t most) : most_(most) {}

  void Add(uint64_t hash) {
    if (hash > largest_ || (!hashes_.empty() && hash == hashes_.back())) return;
    if (!recent_.empty()) {
      uint64_t& slot = recent_[hash & (recent_.size() - 1)];
      if (slot == hash) return;
      slot = hash;
    }
    hashes_.push_back(hash);
    if (hashes_.size() >= 2 * most_) MakeRoom();
  }
  int64_t Count();  // number of distinct hashes so far; an estimate unless IsExact()
  bool IsExact() const { return !is_full_; }  // whether the last result of Count() is exact

 private:
  void Compact();
  void MakeRoom();

  size_t most_;
  std::vector<uint64_t> hashes_;  // may have equal ones until Compact()
  // The last hash with each value of the low bits. Without it, a long column of few values would be
  // sorted again and again. Empty until hashes_ was full; then its size is a power of two.
  std::vector<uint64_t> recent_;
  uint64_t largest_ = UINT64_MAX;  // larger hashes do not count
  bool is_full_ = false;
};

}  // namespace dl::dataset
