// Copies of a factor of a product as the tiles read it (nn/kernels/product/product_tile.h).
#pragma once

#include <cstdint>
#include <vector>

#include "nn/kernels/index_range.h"

namespace dl::nn {

// Products add the values of the inner index in blocks of this number of indices.
inline constexpr int64_t kProductBlock = 256;
inline constexpr int kMostLanes = 16;
inline constexpr int64_t kMostPanelFloats = kProductBlock * 3 * kMostLanes;

// Adjacent columns of a product that a panel holds.
struct PanelColumns {
  int64_t first = 0, count = 0;
  int vectors = 0;  // 1 to 3, the least that hold the columns
};
// Divides columns into panels of three vectors, and of two at the end if one vector would remain.
std::vector<PanelColumns> PanelsOf(int64_t columns, int lanes);

// A factor with the values (k, j), where j is the column and k = tap * inner + c.
struct PanelSource {
  enum class Order : uint8_t {
    kAcross,  // (k, j) at data + k * stride + j
    kAlong,   // (k, j) at data + (tap * columns + j) * stride + c
    // Squares of the number of lanes. REQUIRE: multiples of it, as `inner`, `columns` and the end
    // and the begin of each packed range.
    kSquaresAcross,  // [j / lanes][c / lanes][taps][lanes of c][lanes of j]
    kSquaresAlong,   // [c / lanes][j / lanes][taps][lanes of j][lanes of c]
  };
  const float* data = nullptr;
  Order order = Order::kAcross;
  int64_t stride = 0, inner = 0, columns = 0;
  int64_t taps = 1;  // of squares
};

// Copies the values of the inner indices [range) to `panel`, [k][vectors * lanes]: the value
// (range.begin, columns.first) becomes the first. Vectors are filled with zeros.
void PackPanel(const PanelSource& source, IndexRange range, const PanelColumns& columns, int lanes,
               float* panel);

}  // namespace dl::nn
