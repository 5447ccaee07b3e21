#include "nn/kernels/product/position_product.h"

#include <algorithm>
#include <utility>

#include "nn/kernels/clones.h"

namespace dl::nn {
namespace {

// Rows of a part. A panel is packed once for them.
constexpr int64_t kRowsOfSlice = 128;

}  // namespace

bool PositionProduct::Supports(const PositionProductGeometry& g) {
  constexpr int64_t kMost = int64_t{1} << 30;
  const int64_t images = kProductBlock / g.positions + 2;
  const int64_t in_image = std::min(kProductBlock, g.positions) * g.source_position;
  return (g.images == 1 || images * g.source_image < kMost) && in_image < kMost &&
         kProductBlock * g.gradient_position < kMost;
}

PositionProduct::PositionProduct(PositionProductGeometry geometry)
    : g_(std::move(geometry)),
      panels_(PanelsOf(g_.columns, g_.lanes)),
      slices_((g_.rows + kRowsOfSlice - 1) / kRowsOfSlice),
      first_blocks_(FirstBlocksOf(g_)) {}

std::vector<int64_t> FirstBlocksOf(const PositionProductGeometry& g) {
  std::vector<int64_t> blocks;
  for (const std::vector<TapRow>& rows : g.taps)
    blocks.push_back(rows.empty() ? g.Blocks() : rows.front().first / kProductBlock);
  return blocks;
}

void FindBlockPositions(const PositionProductGeometry& g, const std::vector<TapRow>& rows,
                        int64_t block, int64_t gradient_position, BlockPositions* positions) {
  const int64_t first = block * kProductBlock;
  const int64_t last = std::min(g.images * g.positions, first + kProductBlock);
  PositionOffsets* next = positions->offsets;
  for (int64_t image = first / g.positions; image * g.positions < last; ++image) {
    const int64_t before = image * g.positions;
    auto row = std::ranges::upper_bound(rows, first - before, {}, &TapRow::last);
    for (; row != rows.end() && row->first + before < last; ++row) {
      const int64_t begin = std::max(row->first, first - before);
      const int64_t end = std::min(row->last, last - before);
      const int64_t source =
          image * g.source_image + row->source + (begin - row->first) * g.source_position;
      if (next == positions->offsets) positions->source = source;
      PositionOffsets at{
          .gradient = static_cast<int32_t>((before + begin - first) * gradient_position),
          .source = static_cast<int32_t>(source - positions->source)};
      for (int64_t p = begin; p < end; ++p) {
        *next++ = at;
        at.gradient += static_cast<int32_t>(gradient_position);
        at.source += static_cast<int32_t>(g.source_position);
      }
    }
  }
  positions->count = next - positions->offsets;
  std::fill_n(next, WeightGradientTile::kAhead,
              positions->count > 0 ? next[-1] : PositionOffsets());
}

void PositionProduct::ComputeUnits(const Buffers& buffers, int64_t first, int64_t last) const {
  const auto panels = static_cast<int64_t>(panels_.size());
  for (int64_t unit = first; unit < last; ++unit) {
    const int64_t slice = unit % slices_, group = unit / slices_ / panels;
    const PanelColumns& columns = panels_[unit / slices_ % panels];
    const Buffers of_group{.source = buffers.source + group * g_.source_group,
                           .gradient = buffers.gradient + group * g_.gradient_group,
                           .result = buffers.result + group * g_.result_group};
    ComputePart(of_group, {g_.rows * slice / slices_, g_.rows * (slice + 1) / slices_}, columns);
  }
}

void PositionProduct::ComputePart(const Buffers& b, IndexRange rows,
                                  const PanelColumns& columns) const {
  alignas(64) float panel[kMostPanelFloats];
  const PanelSource gradient{.data = b.gradient, .stride = g_.gradient_position};
  BlockPositions positions;
  for (int64_t block = 0; block < g_.Blocks(); ++block) {
    const int64_t first = block * kProductBlock;
    const int64_t last = std::min(g_.images * g_.positions, first + kProductBlock);
    PackPanel(gradient, {first, last}, columns, g_.lanes, panel);
    for (size_t tap = 0; tap < g_.taps.size(); ++tap) {
      FindBlockPositions(g_, g_.taps[tap], block, int64_t{columns.vectors} * g_.lanes, &positions);
      if (positions.count == 0) continue;
      ComputeTap(b, positions, rows, columns, panel, g_.adds || block > first_blocks_[tap],
                 b.result + static_cast<int64_t>(tap) * g_.result_tap);
    }
  }
  for (size_t tap = 0; tap < g_.taps.size(); ++tap) {
    if (g_.adds || first_blocks_[tap] < g_.Blocks()) continue;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      std::fill_n(
          b.result + static_cast<int64_t>(tap) * g_.result_tap + i * g_.result_row + columns.first,
          columns.count, 0.0f);
    }
  }
}

void PositionProduct::ComputeTap(const Buffers& b, const BlockPositions& positions, IndexRange rows,
                                 const PanelColumns& columns, const float* panel, bool adds,
                                 float* result) const {
  const int64_t width = int64_t{columns.vectors} * g_.lanes;
  const bool is_direct = columns.count == width;
  alignas(64) float sums[16 * kMostLanes * WeightGradientTile::kMaxVectors];
  const int64_t most = MaxTileRows(g_.lanes, columns.vectors);
  const int64_t tiles = (rows.size() + most - 1) / most;
  for (int64_t i = 0; i < tiles; ++i) {
    const int64_t first = rows.begin + rows.size() * i / tiles;
    const int64_t count = rows.begin + rows.size() * (i + 1) / tiles - first;
    float* const place = result + first * g_.result_row + columns.first;
    WeightGradientTile tile{.positions = positions.offsets,
                            .count = positions.count,
                            .source = b.source + positions.source + first,
                            .result_row = is_direct ? g_.result_row : width,
                            .adds = is_direct && adds,
                            .vectors = columns.vectors,
                            .rows = static_cast<int>(count)};
    for (int v = 0; v < columns.vectors; ++v) {
      tile.gradient[v] = panel + int64_t{v} * g_.lanes;
      tile.result[v] = (is_direct ? place : sums) + int64_t{v} * g_.lanes;
    }
    ComputeTile(g_.lanes, tile);
    if (is_direct) continue;
    for (int64_t r = 0; r < count; ++r) {
      float* const to = place + r * g_.result_row;
      for (int64_t j = 0; j < columns.count; ++j)
        to[j] = adds ? to[j] + sums[r * width + j] : sums[r * width + j];
    }
  }
}

DL_ISA_CLONES void SumPositions(const float* x, int64_t positions, int64_t stride,
                                IndexRange columns, float* sums) {
  constexpr int64_t kColumns = 64;  // as many sums as registers hold
  for (int64_t first = columns.begin; first < columns.end; first += kColumns) {
    const int64_t width = std::min(kColumns, columns.end - first);
    float total[kColumns] = {};
    for (int64_t block = 0; block < positions; block += kProductBlock) {
      float sum[kColumns] = {};
      const int64_t last = std::min(positions, block + kProductBlock);
      if (width == kColumns) {  // a loop that the compiler can unroll
        for (int64_t p = block; p < last; ++p)
          for (int64_t j = 0; j < kColumns; ++j) sum[j] += x[p * stride + first + j];
      } else {
        for (int64_t p = block; p < last; ++p)
          for (int64_t j = 0; j < width; ++j) sum[j] += x[p * stride + first + j];
      }
      for (int64_t j = 0; j < kColumns; ++j) total[j] += sum[j];
    }
    std::copy_n(total, width, sums + first);
  }
}

}  // namespace dl::nn
