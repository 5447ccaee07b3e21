// A product whose rows are gathered from a tensor: the matrix product, and the convolution of
// images in which the values of a pixel are contiguous, or blocks of them.
//   result(r, j) = sum over k of row(r, k) * factor(k, j), then + bias(j).
//
// Order of additions: the inner index k is divided into blocks of 256. A block is a chain of fused
// multiply-adds from +0 in ascending order of the k that the row has. The sums of blocks are added
// in ascending order, to the values of the result if the product adds. A block without any k of the
// row is left out. The bias is added at the end. The bits depend only on the geometry and the
// values. They are the same for each vector width and each division of the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nn/kernels/product/panels.h"
#include "nn/kernels/product/product_tile.h"

namespace dl::nn {

// Rows that have the same inner indices k. k = tap * inner + c.
struct RowClass {
  struct Row {
    int64_t source = 0, result = 0;  // offsets in floats, in the first image
  };
  struct Tap {
    int64_t tap = 0;
    int64_t source = 0;  // offset of the value c = 0 from that of the row
  };
  std::vector<Row> rows;  // of one image
  std::vector<Tap> taps;  // ascending
};

struct RowProductGeometry {
  // Images of rows with the same offsets. A plain matrix has one class with one row, and an image
  // for each row of the matrix.
  int64_t images = 1;
  int64_t source_image = 0, result_image = 0;  // floats from an image to the next one
  std::vector<RowClass> classes;
  int64_t taps = 1, inner = 1;  // of k, with the taps that no row has
  int64_t columns = 1;
  // Groups have rows, columns and factors of their own: group g is at these distances.
  int64_t groups = 1;
  int64_t source_group = 0, factor_group = 0, result_group = 0;
  int64_t result_column = 1;  // distance of the columns of the result
  // Distances of blocks of `lanes` values in the rows of the source, of one tap, and of the result.
  // Within a block, values are contiguous. 0: there are no blocks. REQUIRES without 0: multiples of
  // `lanes` as `inner` and `columns`, one group, and result_column 1.
  int64_t source_block = 0, result_block = 0;
  bool bias_of_rows = false;  // the bias has a value for each row, not for each column
  PanelSource::Order order = PanelSource::Order::kAcross;  // of the factor
  int64_t factor_stride = 0;                               // as PanelSource::stride
  bool adds = false;
  int lanes = 8;  // floats in a vector: 8 for AVX2, 16 for AVX-512
};

// The product of one geometry, for any number of runs. Immutable; safe for use by several threads.
class RowProduct {
 public:
  explicit RowProduct(RowProductGeometry geometry);

  struct Buffers {
    const float* source = nullptr;
    const float* factor = nullptr;
    const float* bias = nullptr;  // null, or [groups * columns], or [images] with bias_of_rows
    float* result = nullptr;
  };
  int64_t units() const { return static_cast<int64_t>(parts_.size()) * g_.groups * panels(); }
  // Computes the parts [first, last) of the result. Needs 50 KB of stack. Does not allocate.
  // REQUIRES: a CPU with the instructions of the geometry's lanes.
  void ComputeUnits(const Buffers& buffers, int64_t first, int64_t last) const;

 private:
  // Rows [first, last) of a class, counted through all images.
  struct Piece {
    size_t of_class = 0;
    int64_t first = 0, last = 0;
  };
  // Values of the factor: (k, j) of a block is at data + k * step + j.
  struct Panel {
    const float* data = nullptr;
    int64_t step = 0;
  };
  using Part = std::vector<Piece>;  // rows that one thread computes
  // The values that the rows of a class read in a block.
  struct BlockRuns {
    std::vector<ProductRun> runs;
    bool is_first = false;  // the first block with runs
  };

  // Walks through the rows of a piece.
  class Rows {
   public:
    Rows(const RowProductGeometry& geometry, const Piece& piece)
        : g_(geometry), rows_(geometry.classes[piece.of_class].rows) {
      const auto count = static_cast<int64_t>(rows_.size());
      row_ = piece.first % count;
      source_ = piece.first / count * g_.source_image;
      result_ = piece.first / count * g_.result_image;
    }
    RowClass::Row Next() {
      const RowClass::Row place{.source = source_ + rows_[row_].source,
                                .result = result_ + rows_[row_].result};
      if (++row_ == static_cast<int64_t>(rows_.size())) {
        row_ = 0;
        source_ += g_.source_image;
        result_ += g_.result_image;
      }
      return place;
    }

   private:
    const RowProductGeometry& g_;
    const std::vector<RowClass::Row>& rows_;
    int64_t row_ = 0, source_ = 0, result_ = 0;
  };

  int64_t panels() const { return static_cast<int64_t>(panels_.size()); }
  void FindRuns();
  int64_t ResultOf(int64_t column) const {  // offset in a row of the result
    return g_.result_block == 0 ? column * g_.result_column
                                : column / g_.lanes * g_.result_block + column % g_.lanes;
  }
  void FindUsed();
  void MakeParts();
  bool Packs(const Part& part, const PanelColumns& columns) const;
  void ComputePanel(const Buffers& buffers, const Part& part, int64_t group,
                    const PanelColumns& columns) const;
  void ComputePiece(const Buffers& buffers, const Piece& piece, const BlockRuns& runs,
                    const PanelColumns& columns, const Panel& panel) const;
  void Finish(const Buffers& buffers, const Piece& piece, int64_t group,
              const PanelColumns& columns) const;

  RowProductGeometry g_;
  std::vector<PanelColumns> panels_;
  std::vector<Part> parts_;
  int64_t blocks_ = 0;
  std::vector<std::vector<BlockRuns>> runs_;   // [class][block]
  std::vector<std::vector<IndexRange>> used_;  // [block]: the k that any row has
};

}  // namespace dl::nn
