// The order in which kernels compute sums: by logical index, in 16 lanes and one tree, whatever the
// alignment. Long rows of doubles are summed in chunks, whose sums are added in ascending order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nn/kernels/clones.h"

namespace dl::nn {

inline constexpr int kLanes = 16;
inline constexpr int64_t kChunk = 1024;

// Returns the sum of the lanes. Overwrites them.
template <typename T>
DL_ALWAYS_INLINE T Tree(T lane[kLanes]) {
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int j = 0; j < width; ++j) lane[j] += lane[j + width];
  }
  return lane[0];
}

// Returns term(begin) + ... + term(end - 1), one chunk of a longer sum.
template <typename Term>
DL_ALWAYS_INLINE double LaneSum(int64_t begin, int64_t end, const Term& term) {
  double lane[kLanes] = {};
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) lane[j] += term(i + j);
  }
  for (int j = 0; i + j < end; ++j) lane[j] += term(i + j);
  return Tree(lane);
}

// Returns term(0) + ... + term(n - 1). The call operator of `term` must be DL_ALWAYS_INLINE.
// Otherwise it would be compiled for one instruction set only.
template <typename Term>
DL_ALWAYS_INLINE double ChunkedSum(int64_t n, const Term& term) {
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += kChunk)
    total += LaneSum(begin, std::min(n, begin + kChunk), term);
  return total;
}

}  // namespace dl::nn
