// A product that sums over positions: the gradient of the weights of a convolution, in tensors in
// which the values of a pixel are contiguous, and the matrix product of a transposed matrix.
//   result(tap, i, j) = sum over positions p of source(p, tap, i) * gradient(p, j).
//
// Order of additions: the positions of all images are numbered in row-major order. Positions from
// 256b to 256b + 255 are block b. A block is a chain of fused multiply-adds from +0, in ascending
// order of the positions at which the tap meets the image. The sums of blocks are added in
// ascending order, to the values of the result if the product adds. A block without such a position
// is left out. The bits depend only on the geometry and the values. They are the same for each
// vector width and each division of the work, and those of WeightGradient
// (nn/kernels/conv/weight_gradient.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/kernels/conv/weight_gradient_tile.h"
#include "nn/kernels/product/panels.h"
#include "nn/kernels/product/product_tile.h"

namespace dl::nn {

// Adjacent positions of an image at which a tap meets the image.
struct TapRow {
  int64_t first = 0, last = 0;  // positions in the image; last is exclusive
  int64_t source = 0;           // offset in the image for the first position
};

struct PositionProductGeometry {
  int64_t images = 1, positions = 1;       // positions of an image
  int64_t source_image = 0;                // floats from an image of the source to the next one
  int64_t source_position = 0;             // floats from a position of a TapRow to the next one
  std::vector<std::vector<TapRow>> taps;   // rows in ascending order, none empty
  int64_t rows = 1, columns = 1;           // i, j
  int64_t gradient_position = 0;           // floats from a position of the gradient to the next one
  int64_t result_tap = 0, result_row = 0;  // floats from a tap or a row of the result to the next
  int64_t groups = 1;
  int64_t source_group = 0, gradient_group = 0, result_group = 0;
  bool adds = false;
  int lanes = 8;  // as in RowProductGeometry

  int64_t Blocks() const { return (images * positions + kProductBlock - 1) / kProductBlock; }
};

// The positions of a block at which a tap meets the image.
struct BlockPositions {
  int64_t count = 0;
  int64_t source = 0;  // offset of the first position; the others are relative to it
  PositionOffsets offsets[kProductBlock + WeightGradientTile::kAhead];
};
// Finds them for one of geometry.taps. Offsets of the gradient are relative to the first position
// of the block, with this distance between positions.
void FindBlockPositions(const PositionProductGeometry& geometry, const std::vector<TapRow>& rows,
                        int64_t block, int64_t gradient_position, BlockPositions* positions);
// Returns for each tap the first block with positions, or Blocks().
std::vector<int64_t> FirstBlocksOf(const PositionProductGeometry& geometry);

// The product of one geometry, for any number of runs. Immutable; safe for use by several threads.
class PositionProduct {
 public:
  // Returns whether offsets within a block of positions are below 2^31 floats.
  static bool Supports(const PositionProductGeometry& geometry);
  explicit PositionProduct(PositionProductGeometry geometry);  // REQUIRES: Supports

  struct Buffers {
    const float* source = nullptr;
    const float* gradient = nullptr;
    float* result = nullptr;
  };
  int64_t units() const { return g_.groups * slices_ * panels(); }
  // Computes the parts [first, last) of the result. Needs 480 KB of stack. Does not allocate.
  // REQUIRES: a CPU with the instructions of the geometry's lanes.
  void ComputeUnits(const Buffers& buffers, int64_t first, int64_t last) const;

 private:
  using Panels = std::span<const PanelColumns>;
  // The part of a tap's result that one call computes: some rows, from the positions of a block.
  struct TapPart {
    const PositionOffsets* offsets = nullptr;  // if it is not packed
    int64_t count = 0;
    const float* source = nullptr;  // of row 0, or packed
    IndexRange rows;
    const float* panel = nullptr;
    float* result = nullptr;  // of row 0 and column 0
    bool adds = false;
  };

  int64_t panels() const { return static_cast<int64_t>(panels_.size()); }
  IndexRange BlockRange(int64_t block) const;
  bool Adds(size_t tap, int64_t block) const { return g_.adds || block > first_blocks_[tap]; }
  void ComputePart(const Buffers& buffers, IndexRange rows, const PanelColumns& columns) const;
  void ComputePacked(const Buffers& buffers, IndexRange rows, Panels panels) const;
  void PackSource(const float* source, const BlockPositions& positions, IndexRange rows,
                  float* packed) const;
  void PackGradient(const float* gradient, int64_t block, const BlockPositions& positions,
                    const PanelColumns& columns, float* panel) const;
  void ComputePackedTap(const TapPart& part, const PanelColumns& columns) const;
  void StoreSums(const float* sums, int64_t width, int64_t rows, const PanelColumns& columns,
                 bool adds, float* place) const;
  void ClearUnused(const Buffers& buffers, IndexRange rows, Panels panels) const;
  void ComputeTap(const TapPart& part, const PanelColumns& columns) const;

  PositionProductGeometry g_;
  std::vector<PanelColumns> panels_;
  int64_t slices_ = 0;
  // Whether rows are copied before they are multiplied. This is faster if several panels read them
  // and positions are so far apart that few of them stay in the first cache.
  bool packs_source_ = false;
  int64_t tile_rows_ = 0;  // of a packed tile
  std::vector<int64_t> first_blocks_;
};

// Sets sums(j) to the sum of x(p, j) over `positions` rows of x, for the columns of a range. A
// block of 256 rows is a chain of additions from +0. The sums of blocks are added in ascending
// order.
void SumPositions(const float* x, int64_t positions, int64_t stride, IndexRange columns,
                  float* sums);

}  // namespace dl::nn
