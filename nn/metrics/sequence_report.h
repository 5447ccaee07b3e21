// Computes metrics of predicted sequences of classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dl::nn {

// Examples are added one after the other. Not thread-safe.
class SequenceReport {
 public:
  // Adds one example: the predicted classes and the labels, without filler (SequenceOf).
  void Add(std::span<const int32_t> predicted, std::span<const int32_t> labels);

  // Returns whether any added example has a label.
  bool has_labels() const { return labels_ > 0; }
  // Returns the smallest number of classes to insert, remove or replace to turn each prediction
  // into its labels, added over the examples and divided by the number of all their labels. It can
  // exceed 1. Graves et al. 2006, equation 2, but over all labels, like word and character error
  // rates. REQUIRES: has_labels().
  double LabelErrorRate() const {
    return static_cast<double>(edits_) / static_cast<double>(labels_);
  }

 private:
  int64_t edits_ = 0, labels_ = 0;
  std::vector<int64_t> row_;
};

}  // namespace dl::nn
