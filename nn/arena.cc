#include "nn/arena.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace dl::nn {

BufferId ArenaPlan::AddBytes(int64_t bytes, DataType type) {
  buffers_.push_back(
      {.bytes = Aligned<uint8_t>(std::max<int64_t>(bytes, 1)), .type = type, .life = {now_, now_}});
  return static_cast<BufferId>(buffers_.size() - 1);
}

void ArenaPlan::Use(BufferId id) {
  buffers_[id].last() = now_;
  usages_.push_back({now_, id});
}

void ArenaPlan::KeepAlways(BufferId id) {
  buffers_[id].life = {0, std::numeric_limits<int64_t>::max()};
}

bool ArenaPlan::Buffer::LivesWith(const Buffer& other) const {
  return life.Overlaps(other.life) || second.Overlaps(other.life) || life.Overlaps(other.second) ||
         second.Overlaps(other.second);
}

void ArenaPlan::Repeat(int64_t first, int64_t last) {
  const int64_t later = now_ + 1 - first;  // from a step to its repetition
  for (Buffer& buffer : buffers_) {
    const Life life = buffer.life;
    if (life.first >= first && life.first <= last)
      buffer.second = {life.first + later, std::min(life.last, last) + later};
  }
  for (const Usage& usage : usages_) {
    Buffer& buffer = buffers_[usage.buffer];
    if (usage.step < first || usage.step > last || buffer.life.first >= first) continue;
    buffer.last() = std::max(buffer.last(), usage.step + later);
  }
  now_ = last + later;
}

int64_t ArenaPlan::Place() {
  std::vector<size_t> order(buffers_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return buffers_[a].bytes > buffers_[b].bytes; });
  std::vector<const Buffer*> placed;  // by ascending offset
  int64_t total = 0;
  for (const size_t index : order) {
    Buffer& buffer = buffers_[index];
    int64_t offset = 0;
    for (const Buffer* other : placed) {
      if (!buffer.LivesWith(*other) || other->offset + other->bytes <= offset) continue;
      if (other->offset >= offset + buffer.bytes) break;
      offset = other->offset + other->bytes;
    }
    buffer.offset = offset;
    total = std::max(total, offset + buffer.bytes);
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), &buffer,
                         [](const Buffer* a, const Buffer* b) { return a->offset < b->offset; }),
        &buffer);
  }
  return total;
}

}  // namespace dl::nn
