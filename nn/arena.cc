#include "nn/arena.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace dl::nn {

BufferId ArenaPlan::Add(int64_t floats) {
  buffers_.push_back(
      {.floats = Aligned(std::max<int64_t>(floats, 1)), .first = now_, .last = now_});
  return static_cast<BufferId>(buffers_.size() - 1);
}

void ArenaPlan::Use(BufferId id) { buffers_[id].last = now_; }

void ArenaPlan::KeepAlways(BufferId id) {
  buffers_[id].first = 0;
  buffers_[id].last = std::numeric_limits<int64_t>::max();
}

int64_t ArenaPlan::Place() {
  std::vector<size_t> order(buffers_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return buffers_[a].floats > buffers_[b].floats; });
  std::vector<const Buffer*> placed;  // by ascending offset
  int64_t total = 0;
  for (const size_t index : order) {
    Buffer& buffer = buffers_[index];
    int64_t offset = 0;
    for (const Buffer* other : placed) {
      const bool together = other->first <= buffer.last && buffer.first <= other->last;
      if (!together || other->offset + other->floats <= offset) continue;
      if (other->offset >= offset + buffer.floats) break;
      offset = other->offset + other->floats;
    }
    buffer.offset = offset;
    total = std::max(total, offset + buffer.floats);
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), &buffer,
                         [](const Buffer* a, const Buffer* b) { return a->offset < b->offset; }),
        &buffer);
  }
  return total;
}

}  // namespace dl::nn
