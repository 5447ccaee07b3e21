// The order in which kernels add the numbers of a row. Number i goes to lane i mod 16, and the sums
// of the lanes are added in a tree. The order depends only on indices. It does not depend on the
// alignment of memory or on the width of vectors. ChunkedSum divides a long row into chunks and
// adds the sums of the chunks in ascending order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nn/kernels/clones.h"

namespace dl::nn {

inline constexpr int kLanes = 16;
inline constexpr int64_t kChunk = 1024;  // numbers

// Returns the sum of the lanes. Overwrites them.
template <typename T>
DL_ALWAYS_INLINE T Tree(T lane[kLanes]) {
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int j = 0; j < width; ++j) lane[j] += lane[j + width];
  }
  return lane[0];
}

// Returns term(begin) + ... + term(end - 1), one chunk of a longer sum. `term`: as for ChunkedSum.
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

// Returns term(0) + ... + term(n - 1); 0 if n is 0. If the calling function has DL_ISA_CLONES, the
// call operator of `term` must be DL_ALWAYS_INLINE. Otherwise the compiler may compile `term` only
// for the default instruction set.
template <typename Term>
DL_ALWAYS_INLINE double ChunkedSum(int64_t n, const Term& term) {
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += kChunk)
    total += LaneSum(begin, std::min(n, begin + kChunk), term);
  return total;
}

}  // namespace dl::nn
