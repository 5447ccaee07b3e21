// The labels of an executor, or those that a job requires. They are compared by hashes, because one
// step of the core may compare a thousand jobs with a thousand executors.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "base/checksum.h"

namespace dl::master {

class LabelSet {
 public:
  LabelSet() = default;
  explicit LabelSet(const std::vector<std::string>& labels) {
    hashes_.reserve(labels.size());
    for (const std::string& label : labels) hashes_.push_back(Xxh3(label));
    std::ranges::sort(hashes_);
    hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  }

  // Whether every label of `others` is in this set.
  bool Includes(const LabelSet& others) const {
    return std::ranges::includes(hashes_, others.hashes_);
  }
  auto operator<=>(const LabelSet&) const = default;

 private:
  std::vector<uint64_t> hashes_;  // ascending, without duplicates
};

}  // namespace dl::master
