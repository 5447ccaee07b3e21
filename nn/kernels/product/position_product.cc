#include "nn/kernels/product/position_product.h"

#include <algorithm>
#include <utility>

#include "nn/kernels/clones.h"

namespace dl::nn {
namespace {

// Rows of a part. A panel is packed once for them.
constexpr int64_t kRowsOfSlice = 384;

// Copies up to kMaxRows values. Copies of eight need no call.
void CopyRow(const float* from, int64_t count, float* to) {
  constexpr int64_t kEight = 8;
  if (count == kEight) {
    std::copy_n(from, kEight, to);
  } else {
    std::copy_n(from, count, to);
  }
}

bool PacksSource(const PositionProductGeometry& g, int64_t panels) {
  constexpr int64_t kPanels = 2, kFloats = 256;
  return panels >= kPanels && g.source_position >= kFloats;
}

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
      packs_source_(PacksSource(g_, panels())),
      tile_rows_(MaxProductRows(g_.lanes, panels_.front().vectors)),
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

IndexRange PositionProduct::BlockRange(int64_t block) const {
  const int64_t first = block * kProductBlock;
  return {first, std::min(g_.images * g_.positions, first + kProductBlock)};
}

void PositionProduct::ComputeUnits(const Buffers& buffers, int64_t first, int64_t last) const {
  while (first < last) {
    const int64_t slice = first / panels() % slices_, group = first / panels() / slices_;
    const int64_t panel = first % panels(), count = std::min(last - first, panels() - panel);
    const IndexRange rows{g_.rows * slice / slices_, g_.rows * (slice + 1) / slices_};
    const Buffers of_group{.source = buffers.source + group * g_.source_group,
                           .gradient = buffers.gradient + group * g_.gradient_group,
                           .result = buffers.result + group * g_.result_group};
    const Panels of_call = Panels(panels_).subspan(panel, count);
    if (packs_source_) {
      ComputePacked(of_group, rows, of_call);
    } else {
      for (const PanelColumns& columns : of_call) ComputePart(of_group, rows, columns);
    }
    ClearUnused(of_group, rows, of_call);
    first += count;
  }
}

void PositionProduct::ComputePart(const Buffers& b, IndexRange rows,
                                  const PanelColumns& columns) const {
  alignas(64) float panel[kMostPanelFloats];
  const PanelSource gradient{.data = b.gradient, .stride = g_.gradient_position};
  BlockPositions positions;
  for (int64_t block = 0; block < g_.Blocks(); ++block) {
    PackPanel(gradient, BlockRange(block), columns, g_.lanes, panel);
    for (size_t tap = 0; tap < g_.taps.size(); ++tap) {
      FindBlockPositions(g_, g_.taps[tap], block, int64_t{columns.vectors} * g_.lanes, &positions);
      if (positions.count == 0) continue;
      ComputeTap({.offsets = positions.offsets,
                  .count = positions.count,
                  .source = b.source + positions.source,
                  .rows = rows,
                  .panel = panel,
                  .result = b.result + static_cast<int64_t>(tap) * g_.result_tap,
                  .adds = Adds(tap, block)},
                 columns);
    }
  }
}

void PositionProduct::ComputePacked(const Buffers& b, IndexRange rows, Panels panels) const {
  alignas(64) float panel[kMostPanelFloats];
  alignas(64) float packed[kRowsOfSlice * kProductBlock];
  BlockPositions positions;
  for (int64_t block = 0; block < g_.Blocks(); ++block) {
    for (size_t tap = 0; tap < g_.taps.size(); ++tap) {
      FindBlockPositions(g_, g_.taps[tap], block, /*gradient_position=*/1, &positions);
      if (positions.count == 0) continue;
      PackSource(b.source + positions.source, positions, rows, packed);
      for (const PanelColumns& columns : panels) {
        PackGradient(b.gradient, block, positions, columns, panel);
        ComputePackedTap({.count = positions.count,
                          .source = packed,
                          .rows = rows,
                          .panel = panel,
                          .result = b.result + static_cast<int64_t>(tap) * g_.result_tap,
                          .adds = Adds(tap, block)},
                         columns);
      }
    }
  }
}

// Copies the rows of a block as tiles: [rows / tile_rows_][position][tile_rows_]. Reads each
// position once, because positions may lie on pages of their own. Copies a few positions at a time,
// because tiles lie at distances that share lines of the first cache.
void PositionProduct::PackSource(const float* source, const BlockPositions& positions,
                                 IndexRange rows, float* packed) const {
  constexpr int64_t kPositions = 8;
  const int64_t tile = positions.count * tile_rows_;
  for (int64_t i = 0; i < positions.count; i += kPositions) {
    const int64_t end = std::min(positions.count, i + kPositions);
    float* to = packed + i * tile_rows_;
    for (int64_t first = 0; first < rows.size(); first += tile_rows_, to += tile) {
      const int64_t count = std::min(tile_rows_, rows.size() - first);
      const float* const from = source + rows.begin + first;
      for (int64_t p = i; p < end; ++p)
        CopyRow(from + positions.offsets[p].source, count, to + (p - i) * tile_rows_);
    }
  }
}

// Copies the positions of a tap to a panel. PositionOffsets::gradient is their index in the block.
void PositionProduct::PackGradient(const float* gradient, int64_t block,
                                   const BlockPositions& positions, const PanelColumns& columns,
                                   float* panel) const {
  const PanelSource source{.data = gradient, .stride = g_.gradient_position};
  const PositionOffsets* const offsets = positions.offsets;
  for (int64_t i = 0; i < positions.count;) {
    int64_t end = i + 1;  // of adjacent positions
    while (end < positions.count && offsets[end].gradient == offsets[end - 1].gradient + 1) ++end;
    const int64_t first = block * kProductBlock + offsets[i].gradient;
    PackPanel(source, {first, first + end - i}, columns, g_.lanes,
              panel + i * columns.vectors * g_.lanes);
    i = end;
  }
}

void PositionProduct::ComputePackedTap(const TapPart& part, const PanelColumns& columns) const {
  const int64_t width = int64_t{columns.vectors} * g_.lanes;
  const bool is_direct = columns.count == width;
  alignas(64) float sums[ProductTile::kMaxRows * kMostLanes * ProductTile::kMaxVectors];
  const float* source = part.source;
  for (int64_t first = part.rows.begin; first < part.rows.end; first += tile_rows_) {
    const int64_t rows = std::min(tile_rows_, part.rows.end - first);
    float* const place = part.result + first * g_.result_row + columns.first;
    ComputePackedTile(g_.lanes, {.source = source,
                                 .source_step = tile_rows_,
                                 .count = part.count,
                                 .panel = part.panel,
                                 .result = is_direct ? place : sums,
                                 .result_row = is_direct ? g_.result_row : width,
                                 .adds = is_direct && part.adds,
                                 .vectors = columns.vectors,
                                 .rows = static_cast<int>(rows)});
    source += part.count * tile_rows_;
    if (!is_direct) StoreSums(sums, width, rows, columns, part.adds, place);
  }
}

void PositionProduct::StoreSums(const float* sums, int64_t width, int64_t rows,
                                const PanelColumns& columns, bool adds, float* place) const {
  for (int64_t r = 0; r < rows; ++r) {
    float* const to = place + r * g_.result_row;
    for (int64_t j = 0; j < columns.count; ++j)
      to[j] = adds ? to[j] + sums[r * width + j] : sums[r * width + j];
  }
}

void PositionProduct::ClearUnused(const Buffers& b, IndexRange rows, Panels panels) const {
  const int64_t first = panels.front().first;
  const int64_t count = panels.back().first + panels.back().count - first;
  for (size_t tap = 0; tap < g_.taps.size(); ++tap) {
    if (g_.adds || first_blocks_[tap] < g_.Blocks()) continue;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      std::fill_n(b.result + static_cast<int64_t>(tap) * g_.result_tap + i * g_.result_row + first,
                  count, 0.0f);
    }
  }
}

void PositionProduct::ComputeTap(const TapPart& part, const PanelColumns& columns) const {
  const int64_t width = int64_t{columns.vectors} * g_.lanes;
  const bool is_direct = columns.count == width;
  alignas(64) float sums[16 * kMostLanes * WeightGradientTile::kMaxVectors];
  const int64_t rows = part.rows.size();
  const int64_t most = MaxTileRows(g_.lanes, columns.vectors);
  const int64_t tiles = (rows + most - 1) / most;
  for (int64_t i = 0; i < tiles; ++i) {
    const int64_t first = part.rows.begin + rows * i / tiles;
    const int64_t last = part.rows.begin + rows * (i + 1) / tiles;
    float* const place = part.result + first * g_.result_row + columns.first;
    WeightGradientTile tile{.positions = part.offsets,
                            .count = part.count,
                            .source = part.source + first,
                            .result_row = is_direct ? g_.result_row : width,
                            .adds = is_direct && part.adds,
                            .vectors = columns.vectors,
                            .rows = static_cast<int>(last - first)};
    for (int v = 0; v < columns.vectors; ++v) {
      tile.gradient[v] = part.panel + int64_t{v} * g_.lanes;
      tile.result[v] = (is_direct ? place : sums) + int64_t{v} * g_.lanes;
    }
    ComputeTile(g_.lanes, tile);
    if (!is_direct) StoreSums(sums, width, last - first, columns, part.adds, place);
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
