#include "nn/counted_rows.h"

#include <algorithm>

namespace dl::nn {
namespace {

int64_t Quotient(int64_t dividend, int64_t divisor) { return (dividend + divisor - 1) / divisor; }

}  // namespace

int64_t CapacityFor(int64_t counted, int64_t all) {
  constexpr int64_t kMultiple = 16, kSteps = 8, kSmallestShare = 8;
  int64_t share = 1;  // the capacity is at most 1/share of all rows
  while (share < kSmallestShare && counted * share * 2 <= all) share *= 2;
  const int64_t step = Quotient(all, share * kSteps);
  const int64_t capacity = std::max<int64_t>(Quotient(counted, step), 1) * step;
  const int64_t rounded = Quotient(capacity, kMultiple) * kMultiple;
  return 4 * rounded > 3 * all ? 0 : rounded;
}

void CountedRows::Set(size_t output, std::span<const uint8_t> counted) {
  capacities_[output] = 0;
  if (counted.empty()) return;
  const auto all = static_cast<int64_t>(counted.size());
  capacities_[output] = CapacityFor(std::ranges::count(counted, 1), all);
  if (capacities_[output] == 0) return;
  std::vector<int32_t>& rows = rows_[output];
  rows.clear();
  rows.reserve(counted.size());
  for (int64_t r = 0; r < all; ++r) {
    if (counted[r] != 0) rows.push_back(static_cast<int32_t>(r));
  }
}

}  // namespace dl::nn
