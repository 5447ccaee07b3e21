#include "dataset/readers/image/image_resizer.h"

#include <algorithm>
#include <cstdlib>

namespace dl::dataset {
namespace {

constexpr uint64_t kFraction = 256;

}  // namespace

AxisWeights::AxisWeights(int64_t from, int64_t to) : rows_(to) {
  const int64_t reach = 2 * std::max(from, to);
  const auto weight = [&](int64_t i, int64_t j) {
    return reach - std::abs((2 * j + 1) * to - (2 * i + 1) * from);
  };
  int64_t first = 0;  // never decreases with i
  for (int64_t i = 0; i < to; ++i) {
    while (weight(i, first) <= 0) ++first;
    Row& row = rows_[i];
    row = {.begin = first, .end = first, .at = weights_.size()};
    for (; row.end < from && weight(i, row.end) > 0; ++row.end) {
      weights_.push_back(static_cast<uint32_t>(weight(i, row.end)));
      row.sum += weights_.back();
    }
  }
}

ImageResizer::ImageResizer(Size from, Size to, int64_t channels)
    : to_(to),
      channels_(channels),
      across_(from.width, to.width),
      down_(from.height, to.height),
      is_copy_(from.height == to.height && from.width == to.width),
      row_(to.width * channels),
      sums_(is_copy_ ? 0 : to.height * to.width * channels) {
  if (is_copy_) copy_.reserve(to.height * to.width * channels);
}

void ImageResizer::AddRow(std::span<const uint8_t> row) {
  if (is_copy_) {
    copy_.insert(copy_.end(), row.begin(), row.end());
    return;
  }
  for (int64_t x = 0; x < to_.width; ++x) {
    const AxisWeights::Row& under = across_.row(x);
    for (int64_t c = 0; c < channels_; ++c) {
      uint64_t sum = 0;
      for (int64_t j = under.begin; j < under.end; ++j)
        sum += across_.Weight(x, j) * row[j * channels_ + c];
      row_[x * channels_ + c] =
          static_cast<uint16_t>((kFraction * sum + under.sum / 2) / under.sum);
    }
  }
  while (first_ < to_.height && down_.row(first_).end <= next_) ++first_;
  for (int64_t y = first_; y < to_.height && down_.row(y).begin <= next_; ++y) {
    const uint64_t weight = down_.Weight(y, next_);
    uint64_t* sums = sums_.data() + y * std::ssize(row_);
    for (size_t k = 0; k < row_.size(); ++k) sums[k] += weight * row_[k];
  }
  ++next_;
}

void ImageResizer::Store(std::span<uint8_t> out) const {
  if (is_copy_) {
    const int64_t pixels = to_.height * to_.width;
    for (int64_t c = 0; c < channels_; ++c) {
      for (int64_t i = 0; i < pixels; ++i) out[c * pixels + i] = copy_[i * channels_ + c];
    }
    return;
  }
  for (int64_t c = 0; c < channels_; ++c) {
    for (int64_t y = 0; y < to_.height; ++y) {
      const uint64_t whole = kFraction * down_.row(y).sum;
      for (int64_t x = 0; x < to_.width; ++x) {
        const uint64_t sum = sums_[(y * to_.width + x) * channels_ + c];
        out[(c * to_.height + y) * to_.width + x] = static_cast<uint8_t>((sum + whole / 2) / whole);
      }
    }
  }
}

}  // namespace dl::dataset
