// Labels of an executor, or those that a job needs, as they are compared: by hashes, because a step
// of the core may compare those of a thousand jobs with those of a thousand executors.
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

  bool Includes(const LabelSet& others) const {
    return std::ranges::includes(hashes_, others.hashes_);
  }
  auto operator<=>(const LabelSet&) const = default;

 private:
  std::vector<uint64_t> hashes_;  // ascending, each once
};

}  // namespace dl::master
