#include "nn/kernels/conv/weight_gradient.h"

#include <algorithm>
#include <cstring>

namespace dl::nn {
namespace {

using Axis = WeightGradientGeometry::Axis;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct Range {
  int64_t first = 0, last = 0;
};

// Returns the outputs at which this value of the kernel meets the image.
Range OutputsOf(const Axis& axis, int64_t tap) {
  const int64_t shift = axis.pad_before - tap * axis.dilation;  // input = output * stride - shift
  const int64_t first = shift > 0 ? CeilDiv(shift, axis.stride) : 0;
  const int64_t end = axis.in + shift;  // of output * stride
  const int64_t last = end > 0 ? std::min(axis.out, CeilDiv(end, axis.stride)) : 0;
  return {first, std::max(first, last)};
}

// Images of a channel block that are smaller than this use few sets of a cache, because they are
// usually a power of two apart. The copies lie side by side. Measured with 1x1 and 2x2 maps.
constexpr int64_t kSmallImageBytes = 512;

bool IsSmall(int64_t pixels, int lanes) {
  return pixels * lanes * static_cast<int64_t>(sizeof(float)) < kSmallImageBytes;
}

}  // namespace

bool WeightGradient::Supports(const WeightGradientGeometry& g) {
  if (g.source == WeightGradientGeometry::Source::kPlain && g.width.dilation != 1) return false;
  // A block of positions spans at most this number of images.
  const int64_t images = kBlock / (g.height.out * g.width.out) + 2;
  const int64_t channels = std::max(g.in_channels, g.out_channels) + g.lanes;
  const int64_t width =
      std::max(g.width.in + g.width.pad_before, g.width.out * g.width.stride + g.width.kernel);
  const int64_t pixels = std::max(g.height.in * width, g.height.out * g.width.out);
  return images * channels * pixels < (int64_t{1} << 30);
}

WeightGradient::WeightGradient(const WeightGradientGeometry& g) : g_(g) {
  const int64_t in_pixels = g.height.in * g.width.in, out_pixels = g.height.out * g.width.out;
  positions_ = g.batch * out_pixels;
  out_blocks_ = CeilDiv(g.out_channels, g.lanes);
  const auto blocked = [&](int64_t pixels, int64_t blocks, int64_t width) {
    const int64_t block = pixels * g.lanes;
    return Strides{blocks * block, block, width * g.lanes, g.lanes};
  };
  const auto staged = [&](Strides* strides, int64_t pixels, int64_t blocks) -> int64_t {
    if (g.batch == 1 || blocks == 1 || !IsSmall(pixels, g.lanes)) return 0;
    strides->image = pixels * g.lanes;
    strides->channel_block = g.batch * strides->image;
    return blocks * strides->channel_block;
  };
  gradient_ = blocked(out_pixels, out_blocks_, g.width.out);
  gradient_scratch_ = staged(&gradient_, out_pixels, out_blocks_);
  if (g.source == WeightGradientGeometry::Source::kBlocked) {
    in_blocks_ = CeilDiv(g.in_channels, g.lanes);
    rows_ = g.lanes;
    source_ = blocked(in_pixels, in_blocks_, g.width.in);
    source_scratch_ = staged(&source_, in_pixels, in_blocks_);
  } else {
    in_blocks_ = 1;
    rows_ = g.width.kernel * g.in_channels;
    padded_width_ = std::max((g.width.out - 1) * g.width.stride + g.width.kernel,
                             g.width.pad_before + g.width.in);
    source_ = {.image = g.height.in * padded_width_ * g.in_channels,
               .row = padded_width_ * g.in_channels,
               .column = g.in_channels};
    source_scratch_ = CeilDiv(g.batch * source_.image, 16) * 16;
  }
  MakeTaps();
  MakeOutGroups();
}

void WeightGradient::MakeTaps() {
  const Axis &h = g_.height, &w = g_.width;
  const bool plain = g_.source == WeightGradientGeometry::Source::kPlain;
  for (int64_t k = 0; k < h.kernel; ++k) {
    const Range rows = OutputsOf(h, k);
    const int64_t row = k * h.dilation - h.pad_before;
    for (int64_t l = 0; l < (plain ? 1 : w.kernel); ++l) {
      const Range columns = plain ? Range{0, w.out} : OutputsOf(w, l);
      const int64_t column = plain ? 0 : l * w.dilation - w.pad_before;
      taps_.push_back({.first_row = rows.first,
                       .last_row = rows.last,
                       .first_column = columns.first,
                       .last_column = columns.last,
                       .source = row * source_.row + column * source_.column});
    }
  }
}

// Groups of three blocks, and of two at the end if one block would remain.
void WeightGradient::MakeOutGroups() {
  for (int64_t block = 0; block < out_blocks_;) {
    const int64_t left = out_blocks_ - block;
    const int64_t vectors = left == kOutGroup + 1 ? 2 : std::min<int64_t>(left, kOutGroup);
    out_groups_.push_back({block, static_cast<int>(vectors)});
    block += vectors;
  }
}

int64_t WeightGradient::tap_groups() const {
  return CeilDiv(static_cast<int64_t>(taps_.size()), kTapGroup);
}

int64_t WeightGradient::units() const {
  return tap_groups() * static_cast<int64_t>(out_groups_.size()) * in_blocks_;
}

void WeightGradient::Stage(const Buffers& b, int64_t first_image, int64_t last_image) const {
  const auto copy = [&](const float* from, float* to, const Strides& strides, int64_t blocks) {
    for (int64_t c = 0; c < blocks; ++c) {
      for (int64_t n = first_image; n < last_image; ++n) {
        std::memcpy(to + c * strides.channel_block + n * strides.image,
                    from + (n * blocks + c) * strides.image, strides.image * sizeof(float));
      }
    }
  };
  if (gradient_scratch_ > 0)
    copy(b.diff_destination, b.scratch + source_scratch_, gradient_, out_blocks_);
  if (source_scratch_ == 0) return;
  if (g_.source == WeightGradientGeometry::Source::kBlocked) {
    copy(b.source, b.scratch, source_, in_blocks_);
  } else {
    for (int64_t n = first_image; n < last_image; ++n) StagePlain(b, n);
  }
}

// Arranges an image as [h][w][c] with zeros at both sides of a row, so that the values under a row
// of taps lie side by side.
void WeightGradient::StagePlain(const Buffers& b, int64_t image) const {
  const int64_t channels = g_.in_channels, width = g_.width.in, plane = g_.height.in * width;
  const float* from = b.source + image * channels * plane;
  float* to = b.scratch + image * source_.image;
  for (int64_t y = 0; y < g_.height.in; ++y, from += width) {
    float* const end = to + source_.row;
    to = std::fill_n(to, g_.width.pad_before * channels, 0.0f);
    if (channels == 3) {  // a loop that the compiler can unroll
      for (int64_t x = 0; x < width; ++x)
        for (int64_t c = 0; c < 3; ++c) *to++ = from[c * plane + x];
    } else {
      for (int64_t x = 0; x < width; ++x)
        for (int64_t c = 0; c < channels; ++c) *to++ = from[c * plane + x];
    }
    to = std::fill_n(to, end - to, 0.0f);
  }
}

void WeightGradient::FindPositions(const Tap& tap, int64_t block, Positions* positions) const {
  const Axis &h = g_.height, &w = g_.width;
  const int64_t first = block * kBlock, last = std::min(positions_, first + kBlock);
  const int64_t first_image = first / (h.out * w.out);
  PositionOffsets* next = positions->offsets;
  for (int64_t row = first / w.out; row * w.out < last; ++row) {
    const int64_t i = row % h.out, n = row / h.out - first_image;
    if (i < tap.first_row || i >= tap.last_row) continue;
    const int64_t begin = std::max(tap.first_column, first - row * w.out);
    const int64_t end = std::min(tap.last_column, last - row * w.out);
    PositionOffsets at{
        .gradient = static_cast<int32_t>(n * gradient_.image + i * gradient_.row +
                                         begin * gradient_.column),
        .source = static_cast<int32_t>(n * source_.image + i * h.stride * source_.row +
                                       begin * w.stride * source_.column + tap.source)};
    for (int64_t j = begin; j < end; ++j) {
      *next++ = at;
      at.gradient += static_cast<int32_t>(gradient_.column);
      at.source += static_cast<int32_t>(w.stride * source_.column);
    }
  }
  positions->count = next - positions->offsets;
  std::fill_n(next, WeightGradientTile::kAhead,
              positions->count > 0 ? next[-1] : PositionOffsets());
}

int64_t WeightGradient::RowsOf(int64_t in_block) const {
  if (g_.source == WeightGradientGeometry::Source::kPlain) return rows_;
  return std::min(rows_, g_.in_channels - in_block * rows_);
}

float* WeightGradient::Destination(const Buffers& b, int64_t out_block, int64_t in_block,
                                   int64_t tap) const {
  const auto taps = static_cast<int64_t>(taps_.size());
  return b.diff_weights + ((out_block * in_blocks_ + in_block) * taps + tap) * rows_ * g_.lanes;
}

void WeightGradient::ComputeUnits(const Buffers& b, int64_t first, int64_t last) const {
  const int64_t groups = tap_groups(), of_group = units() / groups;
  const auto taps = static_cast<int64_t>(taps_.size());
  while (first < last) {
    const int64_t i = first / of_group;
    const int64_t end = std::min(last, (i + 1) * of_group);
    TapGroup group;
    group.first_tap = taps * i / groups;
    group.last_tap = taps * (i + 1) / groups;
    ComputeTapGroup(b, &group, first - i * of_group, end - i * of_group);
    first = end;
  }
}

void WeightGradient::FindPositionsOfGroup(int64_t block, TapGroup* group) const {
  for (int64_t t = group->first_tap; t < group->last_tap; ++t) {
    const int64_t i = t - group->first_tap;
    int64_t same = group->first_tap;
    while (!taps_[same].HasPositionsOf(taps_[t])) ++same;
    group->same_as[i] = static_cast<int>(same - group->first_tap);
    if (same == t) FindPositions(taps_[t], block, &group->positions[i]);
  }
}

void WeightGradient::ComputeTapGroup(const Buffers& b, TapGroup* group, int64_t first,
                                     int64_t last) const {
  const int64_t taps = group->last_tap - group->first_tap;
  for (int64_t block = 0; block * kBlock < positions_; ++block) {
    FindPositionsOfGroup(block, group);
    for (int64_t unit = first; unit < last; ++unit)
      for (int64_t t = 0; t < taps; ++t) ComputeTap(b, unit, block, *group, t);
    for (int64_t t = 0; t < taps; ++t)
      group->has_begun[t] |= group->positions[group->same_as[t]].count > 0;
  }
  for (int64_t unit = first; unit < last; ++unit) {
    for (int64_t t = 0; t < taps; ++t)
      ClearUnused(b, unit, group->first_tap + t, !group->has_begun[t]);
    if (group->first_tap == 0 && unit % in_blocks_ == 0 && b.diff_bias != nullptr)
      ComputeBias(b, out_groups_[unit / in_blocks_]);
  }
}

void WeightGradient::ComputeTap(const Buffers& b, int64_t unit, int64_t block, const TapGroup& taps,
                                int64_t t) const {
  const Positions& positions = taps.positions[taps.same_as[t]];
  if (positions.count == 0) return;
  const int64_t tap = taps.first_tap + t;
  const OutGroup& group = out_groups_[unit / in_blocks_];
  const int64_t in_block = unit % in_blocks_;
  const int64_t image = block * kBlock / (g_.height.out * g_.width.out);
  const float* const gradient =
      gradient_scratch_ > 0 ? b.scratch + source_scratch_ : b.diff_destination;
  const float* const source = source_scratch_ > 0 ? b.scratch : b.source;
  WeightGradientTile tile{.positions = positions.offsets,
                          .count = positions.count,
                          .source = source + image * source_.image +
                                    in_block * source_.channel_block + taps_[tap].source -
                                    taps_[taps.first_tap + taps.same_as[t]].source,
                          .result_row = g_.lanes,
                          .adds = taps.has_begun[t],
                          .vectors = group.vectors};
  for (int v = 0; v < group.vectors; ++v) {
    tile.gradient[v] =
        gradient + image * gradient_.image + (group.first_block + v) * gradient_.channel_block;
    tile.result[v] = Destination(b, group.first_block + v, in_block, tap);
  }
  const int64_t rows = RowsOf(in_block);
  const int64_t tiles = CeilDiv(rows, MaxTileRows(g_.lanes, group.vectors));
  for (int64_t i = 0; i < tiles; ++i) {
    tile.rows = static_cast<int>(rows * (i + 1) / tiles - rows * i / tiles);
    ComputeTile(g_.lanes, tile);
    tile.source += tile.rows;
    for (int v = 0; v < group.vectors; ++v) tile.result[v] += tile.rows * g_.lanes;
  }
}

void WeightGradient::ClearUnused(const Buffers& b, int64_t unit, int64_t tap, bool is_empty) const {
  const OutGroup& group = out_groups_[unit / in_blocks_];
  const int64_t in_block = unit % in_blocks_;
  const int64_t used = is_empty ? 0 : RowsOf(in_block);
  for (int v = 0; v < group.vectors; ++v) {
    float* const rows = Destination(b, group.first_block + v, in_block, tap);
    std::fill(rows + used * g_.lanes, rows + rows_ * g_.lanes, 0.0f);
  }
}

void WeightGradient::ComputeBias(const Buffers& b, const OutGroup& group) const {
  constexpr int kMostLanes = 16;
  const int64_t pixels = g_.height.out * g_.width.out;
  const float* const gradient =
      gradient_scratch_ > 0 ? b.scratch + source_scratch_ : b.diff_destination;
  for (int v = 0; v < group.vectors; ++v) {
    const int64_t out_block = group.first_block + v;
    float total[kMostLanes] = {};
    for (int64_t first = 0; first < positions_; first += kBlock) {
      float sum[kMostLanes] = {};
      for (int64_t p = first; p < std::min(positions_, first + kBlock); ++p) {
        const float* const dy = gradient + p / pixels * gradient_.image +
                                out_block * gradient_.channel_block + p % pixels * g_.lanes;
        for (int j = 0; j < g_.lanes; ++j) sum[j] += dy[j];
      }
      for (int j = 0; j < g_.lanes; ++j) total[j] += sum[j];
    }
    const int64_t channels = std::min<int64_t>(g_.lanes, g_.out_channels - out_block * g_.lanes);
    std::copy(total, total + channels, b.diff_bias + out_block * g_.lanes);
  }
}

}  // namespace dl::nn
