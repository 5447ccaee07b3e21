// The weight and bias gradients of a convolution of images in float32.
//   y = i*stride_h + k*dilation_h - pad_top, x = j*stride_w + l*dilation_w - pad_left.
//   dW[o,c,k,l] = sum over (n,i,j) of dY[n,o,i,j] X[n,c,y,x].
//   db[o] = sum over (n,i,j) of dY[n,o,i,j].
//
// Padding costs no time, and neither do taps (k,l) that meet only padding. The exception is padding
// at the sides of plain sources, which is multiplied as zeros.
//
// Order of additions: the positions (n,i,j) of dY are numbered in row-major order. Positions from
// 256b to 256b + 255 are block b. A block is a chain of fused multiply-adds that starts with +0 and
// runs through the positions of the block at which the tap meets the image, in ascending order (the
// bias: a chain of additions through all positions). The sums of blocks are added in ascending
// order; a block without such a position is left out. The order depends only on the geometry. The
// bits are therefore the same for each vector width and each division of the work.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/kernels/conv/weight_gradient_tile.h"

namespace dl::nn {

struct WeightGradientGeometry {
  struct Axis {
    int64_t in = 1, out = 1;
    int64_t kernel = 1, stride = 1, dilation = 1;
    int64_t pad_before = 0;
  };
  int64_t batch = 1;
  int64_t in_channels = 1, out_channels = 1;
  Axis height, width;
  // Number of floats in a vector, and of channels in a block: 8 for AVX2, 16 for AVX-512.
  int lanes = 8;
  // kBlocked: source [n][c/lanes][h][w][lanes], gradient [o/lanes][c/lanes][k][l][lanes of c][lanes
  // of o]. kPlain, for the few channels of a model's input: source [n][c][h][w], gradient
  // [o/lanes][k][l][c][lanes of o]. Both: dY [n][o/lanes][i][j][lanes]. Channels that pad a block
  // are 0 in source and dY, and become 0 in the gradient.
  enum class Source { kBlocked, kPlain };
  Source source = Source::kBlocked;
};

// The gradients of one geometry, for any number of runs. Immutable; safe for use by several
// threads. A run consists of Stage, and then ComputeUnits for all units in any order and grouping.
class WeightGradient {
 public:
  // Returns whether the kernel can compute this geometry. With kPlain, the dilation of the width
  // must be 1. A block of positions must span less than 2^30 floats of each tensor.
  static bool Supports(const WeightGradientGeometry& geometry);

  // REQUIRES: Supports(geometry), and a CPU with AVX2 and FMA (lanes 8) or AVX-512F (lanes 16).
  explicit WeightGradient(const WeightGradientGeometry& geometry);

  struct Buffers {
    const float* source = nullptr;
    const float* diff_destination = nullptr;
    float* diff_weights = nullptr;
    float* diff_bias = nullptr;  // null without a bias; out_channels floats
    float* scratch = nullptr;    // scratch_floats() floats, aligned to 64 bytes
  };
  int64_t scratch_floats() const { return source_scratch_ + gradient_scratch_; }
  // Copies tensors whose layout would be slow to read into scratch. Shares the work by image: a run
  // needs each image of [0, batch) once.
  void Stage(const Buffers& buffers, int64_t first_image, int64_t last_image) const;
  int64_t units() const;
  // Computes the parts [first, last) of the gradient. Does not allocate. REQUIRES: Stage has run.
  void ComputeUnits(const Buffers& buffers, int64_t first, int64_t last) const;

 private:
  static constexpr int64_t kBlock = 256;  // positions
  static constexpr int kTapGroup = 12;    // taps whose positions are on the stack at a time
  static constexpr int kOutGroup = WeightGradientTile::kMaxVectors;  // blocks of output channels

  // The arrangement of a tensor as the tiles read it, in floats.
  struct Strides {
    int64_t image = 0, channel_block = 0, row = 0, column = 0;
  };
  // A part of the kernel whose values meet the image at the same positions: a tap, or with kPlain a
  // row of taps.
  struct Tap {
    int64_t first_row = 0, last_row = 0, first_column = 0, last_column = 0;  // positions in [,)
    int64_t source = 0;  // offset in the source for position (0,0); may be negative

    bool HasPositionsOf(const Tap& other) const {
      return first_row == other.first_row && last_row == other.last_row &&
             first_column == other.first_column && last_column == other.last_column;
    }
  };
  struct Positions {
    int64_t count = 0;
    PositionOffsets offsets[kBlock + WeightGradientTile::kAhead];
  };
  struct OutGroup {
    int64_t first_block = 0;
    int vectors = 0;
  };
  // Taps [first_tap, last_tap) of a block of positions.
  struct TapGroup {
    int64_t first_tap = 0, last_tap = 0;
    Positions positions[kTapGroup];
    int same_as[kTapGroup] = {};  // the first tap of the group with the same positions
    bool has_begun[kTapGroup] = {};
  };

  void MakeTaps();
  void MakeOutGroups();
  void FindPositions(const Tap& tap, int64_t block, Positions* positions) const;
  void FindPositionsOfGroup(int64_t block, TapGroup* group) const;
  void ComputeTapGroup(const Buffers& buffers, TapGroup* group, int64_t first, int64_t last) const;
  void ComputeTap(const Buffers& buffers, int64_t unit, int64_t block, const TapGroup& group,
                  int64_t tap) const;
  void ComputeBias(const Buffers& buffers, const OutGroup& group) const;
  void ClearUnused(const Buffers& buffers, int64_t unit, int64_t tap, bool is_empty) const;
  void StagePlain(const Buffers& buffers, int64_t image) const;
  int64_t tap_groups() const;
  int64_t RowsOf(int64_t in_block) const;
  float* Destination(const Buffers& buffers, int64_t out_block, int64_t in_block,
                     int64_t tap) const;

  WeightGradientGeometry g_;
  int64_t positions_ = 0;
  int64_t in_blocks_ = 0, out_blocks_ = 0;
  int64_t rows_ = 0;          // rows of `lanes` floats that a tap has in a block of the gradient
  int64_t padded_width_ = 0;  // of a staged plain source
  Strides source_, gradient_;
  int64_t source_scratch_ = 0, gradient_scratch_ = 0;  // floats; 0 if the tensor is not staged
  std::vector<Tap> taps_;
  std::vector<OutGroup> out_groups_;
};

}  // namespace dl::nn
