// The labels of an executor, or the labels that a job requires. Labels are compared by hashes,
// because one step of the core may compare a thousand jobs with a thousand executors.
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
  // Each label is "KEY=VALUE" (base/label.h). Order and repetitions have no effect.
  explicit LabelSet(const std::vector<std::string>& labels) {
    hashes_.reserve(labels.size());
    for (const std::string& label : labels) hashes_.push_back(Xxh3(label));
    std::ranges::sort(hashes_);
    hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  }

  // Returns whether this set has every label of `others`.
  bool Includes(const LabelSet& others) const {
    return std::ranges::includes(hashes_, others.hashes_);
  }
  auto operator<=>(const LabelSet&) const = default;

 private:
  std::vector<uint64_t> hashes_;  // ascending, without duplicates
};

}  // namespace dl::master
