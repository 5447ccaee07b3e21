// An image at another size: bilinear interpolation with antialiasing. Along each axis, an output
// value is the mean of the values under a triangle around its place, which is as wide as two values
// of the coarser of the two grids:
//   out_i = sum_j w_ij in_j / sum_j w_ij,   w_ij = max(0, 2 m - |(2 j + 1) to - (2 i + 1) from|)
// with m = max(from, to) and j over the image. This is the rule of Pillow's BILINEAR and of
// torchvision's `antialias=True` with weights that are whole numbers, times 2 m to which they were
// divided; at the same size it changes nothing. Rows are done first, rounded to a 256th of a step,
// then columns, rounded to a step; halves up. All of it is in whole numbers: every machine gives
// the same bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dl::dataset {

// One axis: for each output value the inputs under its triangle, and their weights.
class AxisWeights {
 public:
  AxisWeights(int64_t from, int64_t to);

  struct Row {
    int64_t begin = 0, end = 0;  // the inputs
    size_t at = 0;               // the first weight
    uint64_t sum = 0;            // of the weights
  };
  const Row& row(int64_t output) const { return rows_[output]; }
  // Of an input under the output's triangle.
  uint64_t Weight(int64_t output, int64_t input) const {
    const Row& row = rows_[output];
    return weights_[row.at + static_cast<size_t>(input - row.begin)];
  }

 private:
  std::vector<Row> rows_;
  std::vector<uint32_t> weights_;
};

// Takes the rows of an image as they come. Memory: 8 bytes a value of the result, two rows, and the
// weights. Not thread-safe.
class ImageResizer {
 public:
  struct Size {
    int64_t height = 0, width = 0;
  };
  // Extents from 1 to limits::kMaxImageSide.
  ImageResizer(Size from, Size to, int64_t channels);

  // The next row from the top: from.width * channels values, the channels of a pixel side by side.
  void AddRow(std::span<const uint8_t> row);
  // The result, [channels, to.height, to.width]. REQUIRES: all rows have come.
  void Store(std::span<uint8_t> out) const;

 private:
  const Size to_;
  const int64_t channels_;
  const AxisWeights across_, down_;
  std::vector<uint16_t> row_;   // [to.width * channels], in 256ths
  std::vector<uint64_t> sums_;  // [to.height, to.width * channels]
  int64_t next_ = 0;            // row of the image
  int64_t first_ = 0;           // output rows before it are whole
};

}  // namespace dl::dataset
