#include "nn/kernels/product/row_product.h"

#include <algorithm>
#include <utility>

namespace dl::nn {
namespace {

// Rows of a part. A panel is packed once for the rows of a part, and the rows are read once for
// each panel, so they should stay in the second cache.
constexpr int64_t kRowsOfPart = 480;

void StoreRow(const float* sums, int64_t count, bool adds, float* result) {
  if (!adds) {
    std::copy_n(sums, count, result);
  } else {
    for (int64_t j = 0; j < count; ++j) result[j] += sums[j];
  }
}

}  // namespace

RowProduct::RowProduct(RowProductGeometry geometry)
    : g_(std::move(geometry)),
      panels_(PanelsOf(g_.columns, g_.lanes)),
      blocks_((g_.taps * g_.inner + kProductBlock - 1) / kProductBlock) {
  FindRuns();
  FindUsed();
  MakeParts();
}

void RowProduct::FindRuns() {
  for (const RowClass& rows : g_.classes) {
    std::vector<BlockRuns>& blocks = runs_.emplace_back(blocks_);
    for (const RowClass::Tap& tap : rows.taps) {
      const int64_t begin = tap.tap * g_.inner, end = begin + g_.inner;
      for (int64_t k = begin; k < end;) {
        const int64_t block = k / kProductBlock, first = block * kProductBlock;
        const int64_t c = k - begin;
        int64_t last = std::min(end, first + kProductBlock), source = c;
        if (g_.source_block != 0) {
          last = std::min(last, k + g_.lanes - c % g_.lanes);
          source = c / g_.lanes * g_.source_block + c % g_.lanes;
        }
        const ProductRun run{.source = tap.source + source,
                             .panel = static_cast<int32_t>(k - first),
                             .count = static_cast<int32_t>(last - k)};
        std::vector<ProductRun>& runs = blocks[block].runs;
        const bool follows = !runs.empty() && runs.back().panel + runs.back().count == run.panel &&
                             runs.back().source + runs.back().count == run.source;
        if (follows) {
          runs.back().count += run.count;
        } else {
          runs.push_back(run);
        }
        k = last;
      }
    }
    const auto first =
        std::ranges::find_if(blocks, [](const BlockRuns& block) { return !block.runs.empty(); });
    if (first != blocks.end()) first->is_first = true;
  }
}

void RowProduct::FindUsed() {
  for (int64_t block = 0; block < blocks_; ++block) {
    bool is_used[kProductBlock] = {};
    for (const std::vector<BlockRuns>& of_class : runs_) {
      for (const ProductRun& run : of_class[block].runs)
        std::fill_n(is_used + run.panel, run.count, true);
    }
    std::vector<IndexRange>& ranges = used_.emplace_back();
    for (int64_t k = 0; k < kProductBlock; ++k) {
      if (!is_used[k]) continue;
      if (ranges.empty() || ranges.back().end < k) ranges.push_back({k, k});
      ranges.back().end = k + 1;
    }
  }
}

void RowProduct::MakeParts() {
  int64_t left = 0;  // rows that the last part can still take
  for (size_t c = 0; c < g_.classes.size(); ++c) {
    const int64_t rows = g_.images * static_cast<int64_t>(g_.classes[c].rows.size());
    for (int64_t first = 0; first < rows;) {
      if (left == 0) {
        parts_.emplace_back();
        left = kRowsOfPart;
      }
      const int64_t last = std::min(rows, first + left);
      parts_.back().push_back({.of_class = c, .first = first, .last = last});
      left -= last - first;
      first = last;
    }
  }
}

void RowProduct::ComputeUnits(const Buffers& buffers, int64_t first, int64_t last) const {
  const int64_t of_part = g_.groups * panels();
  for (int64_t unit = first; unit < last; ++unit) {
    const int64_t in_part = unit % of_part, group = in_part / panels();
    Buffers of_group = buffers;
    of_group.source += group * g_.source_group;
    of_group.factor += group * g_.factor_group;
    of_group.result += group * g_.result_group;
    ComputePanel(of_group, parts_[unit / of_part], group, panels_[in_part % panels()]);
  }
}

// Few rows read the factor in less time than a copy takes.
bool RowProduct::Packs(const Part& part, const PanelColumns& columns) const {
  constexpr int64_t kFewTiles = 4;
  if (g_.order != PanelSource::Order::kAcross || columns.count != columns.vectors * g_.lanes)
    return true;
  int64_t rows = 0;
  for (const Piece& piece : part) rows += piece.last - piece.first;
  return rows > kFewTiles * MaxProductRows(g_.lanes, columns.vectors);
}

void RowProduct::ComputePanel(const Buffers& b, const Part& part, int64_t group,
                              const PanelColumns& columns) const {
  alignas(64) float panel[kMostPanelFloats];
  const PanelSource factor{.data = b.factor,
                           .order = g_.order,
                           .stride = g_.factor_stride,
                           .inner = g_.inner,
                           .columns = g_.columns,
                           .taps = g_.taps};
  const int64_t width = int64_t{columns.vectors} * g_.lanes;
  const bool is_packed = Packs(part, columns);
  for (int64_t block = 0; block < blocks_; ++block) {
    const int64_t first = block * kProductBlock;
    bool has_panel = !is_packed;
    for (const Piece& piece : part) {
      const BlockRuns& runs = runs_[piece.of_class][block];
      if (runs.runs.empty()) continue;
      for (const IndexRange& used : used_[block]) {
        if (has_panel) break;
        PackPanel(factor, {first + used.begin, first + used.end}, columns, g_.lanes,
                  panel + used.begin * width);
      }
      has_panel = true;
      if (is_packed) {
        ComputePiece(b, piece, runs, columns, {panel, width});
      } else {
        ComputePiece(b, piece, runs, columns,
                     {b.factor + first * g_.factor_stride + columns.first, g_.factor_stride});
      }
    }
  }
  for (const Piece& piece : part) Finish(b, piece, group, columns);
}

void RowProduct::ComputePiece(const Buffers& b, const Piece& piece, const BlockRuns& runs,
                              const PanelColumns& columns, const Panel& panel) const {
  const int64_t width = int64_t{columns.vectors} * g_.lanes;
  const bool is_direct = g_.result_column == 1 && columns.count == width;
  const bool adds = g_.adds || !runs.is_first;
  alignas(64) float sums[ProductTile::kMaxRows * 3 * kMostLanes];
  float* results[ProductTile::kMaxRows];
  ProductTile tile{.runs = runs.runs.data(),
                   .run_count = static_cast<int64_t>(runs.runs.size()),
                   .panel = panel.data,
                   .panel_step = panel.step,
                   .result_vector = g_.result_block == 0 ? g_.lanes : g_.result_block,
                   .adds = is_direct && adds,
                   .vectors = columns.vectors};
  const int64_t rows = piece.last - piece.first;
  const int64_t most = MaxProductRows(g_.lanes, columns.vectors);
  const int64_t tiles = (rows + most - 1) / most;
  Rows places(g_, piece);
  for (int64_t i = 0; i < tiles; ++i) {
    tile.row_count = static_cast<int>(rows * (i + 1) / tiles - rows * i / tiles);
    for (int r = 0; r < tile.row_count; ++r) {
      const RowClass::Row place = places.Next();
      tile.rows[r] = b.source + place.source;
      results[r] = b.result + place.result + ResultOf(columns.first);
      tile.results[r] = is_direct ? results[r] : sums + r * width;
    }
    ComputeProductTile(g_.lanes, tile);
    if (is_direct) continue;
    if (g_.result_column == 1) {
      for (int r = 0; r < tile.row_count; ++r)
        StoreRow(sums + r * width, columns.count, adds, results[r]);
      continue;
    }
    for (int64_t j = 0; j < columns.count; ++j) {
      for (int r = 0; r < tile.row_count; ++r) {
        float& result = results[r][j * g_.result_column];
        result = adds ? result + sums[r * width + j] : sums[r * width + j];
      }
    }
  }
}

void RowProduct::Finish(const Buffers& b, const Piece& piece, int64_t group,
                        const PanelColumns& columns) const {
  const bool is_empty = g_.classes[piece.of_class].taps.empty() && !g_.adds;
  if (!is_empty && b.bias == nullptr) return;
  Rows places(g_, piece);
  for (int64_t row = piece.first; row < piece.last; ++row) {
    float* const result = b.result + places.Next().result + ResultOf(columns.first);
    const float* const bias =
        b.bias == nullptr ? nullptr
                          : b.bias + (g_.bias_of_rows ? row : group * g_.columns + columns.first);
    for (int64_t first = 0; first < columns.count; first += g_.lanes) {
      float* const vector = result + ResultOf(first);
      const int64_t lanes = std::min<int64_t>(g_.lanes, columns.count - first);
      if (is_empty) {
        for (int64_t j = 0; j < lanes; ++j) vector[j * g_.result_column] = 0.0f;
      }
      if (bias == nullptr) continue;
      for (int64_t j = 0; j < lanes; ++j)
        vector[j * g_.result_column] += bias[g_.bias_of_rows ? 0 : first + j];
    }
  }
}

}  // namespace dl::nn
