// What predicted sequences of classes are worth, each against the one that it was to be.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dl::nn {

// One example after the other; not thread-safe.
class SequenceReport {
 public:
  void Add(std::span<const int32_t> predicted, std::span<const int32_t> labels);

  bool has_labels() const { return labels_ > 0; }
  // Classes to insert, to drop or to exchange until all that was predicted is what the labels say,
  // the fewest that do it, for each label (Graves et al. 2006, equation 2, over all labels as word
  // and character error rates are): above 1 where there are more. REQUIRES: labels.
  double LabelErrorRate() const {
    return static_cast<double>(edits_) / static_cast<double>(labels_);
  }

 private:
  int64_t edits_ = 0, labels_ = 0;
  std::vector<int64_t> row_;
};

}  // namespace dl::nn
