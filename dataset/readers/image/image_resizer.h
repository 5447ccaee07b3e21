// Resizes an image by bilinear interpolation with antialiasing. Along each axis, an output value is
// a weighted mean of the input values under a triangle around its position. The base of the
// triangle is as long as two values of the coarser grid:
//   out_i = sum_j w_ij in_j / sum_j w_ij,   w_ij = max(0, 2 m - |(2 j + 1) to - (2 i + 1) from|)
// with m = max(from, to) and j over the image. This is the rule of Pillow's BILINEAR and of
// torchvision's `antialias=True`, with weights that are multiplied by 2 m and are thus integers.
// Equal sizes give the same image.
//
// Rows are resized first, and the results are rounded to multiples of 1/256. Then columns are
// resized, and the results are rounded to whole values from 0 to 255. Halves are rounded up.
// Everything is computed in integers, so every machine gives the same bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dl::dataset {

// One axis: for each output value the range of inputs under its triangle, and their weights.
class AxisWeights {
 public:
  AxisWeights(int64_t from, int64_t to);

  struct Row {
    int64_t begin = 0, end = 0;  // range of inputs
    size_t at = 0;               // index of the first weight
    uint64_t sum = 0;            // sum of the weights
  };
  const Row& row(int64_t output) const { return rows_[output]; }
  // Returns the weight of an input under the output's triangle. REQUIRES: `input` is in the range
  // of row(output).
  uint64_t Weight(int64_t output, int64_t input) const {
    const Row& row = rows_[output];
    return weights_[row.at + static_cast<size_t>(input - row.begin)];
  }

 private:
  std::vector<Row> rows_;
  std::vector<uint32_t> weights_;
};

// Receives the rows of an image in order. Needs 8 bytes for each value of the result (1 byte
// if the sizes are equal), and memory for one row and the weights. Not thread-safe.
class ImageResizer {
 public:
  struct Size {
    int64_t height = 0, width = 0;
  };
  // Heights and widths must be from 1 to limits::kMaxImageSide.
  ImageResizer(Size from, Size to, int64_t channels);

  // Adds the next row from the top: from.width * channels values, the channels of a pixel next to
  // each other.
  void AddRow(std::span<const uint8_t> row);
  // Writes the result [channels, to.height, to.width]. REQUIRES: all rows were added.
  void Store(std::span<uint8_t> out) const;

 private:
  const Size to_;
  const int64_t channels_;
  const AxisWeights across_, down_;
  const bool is_copy_;          // equal sizes
  std::vector<uint8_t> copy_;   // [to.height, to.width * channels] of a copy, else empty
  std::vector<uint16_t> row_;   // [to.width * channels], in units of 1/256
  std::vector<uint64_t> sums_;  // [to.height, to.width * channels]
  int64_t next_ = 0;            // next row of the image
  int64_t first_ = 0;           // output rows before it are complete
};

}  // namespace dl::dataset
