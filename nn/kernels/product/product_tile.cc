#include "nn/kernels/product/product_tile.h"

#include <array>
#include <utility>

#include "nn/kernels/isa_target.h"
#include "nn/kernels/vectors.h"

namespace dl::nn {
namespace {

DL_TARGET_AVX2
namespace avx2 {

using namespace vectors_avx2;
constexpr int kMaxRows[] = {0, 10, 6, 4};
#include "nn/kernels/product/product_tile.inc"

}  // namespace avx2
DL_TARGET_END

DL_TARGET_AVX512
namespace avx512 {

using namespace vectors_avx512;
constexpr int kMaxRows[] = {0, 12, 12, 8};
#include "nn/kernels/product/product_tile.inc"

}  // namespace avx512
DL_TARGET_END

}  // namespace

int MaxProductRows(int lanes, int vectors) {
  return lanes == 16 ? avx512::kMaxRows[vectors] : avx2::kMaxRows[vectors];
}

void ComputeProductTile(int lanes, const ProductTile& tile) {
  if (lanes == 16) {
    avx512::ComputeRowsTile(tile);
  } else {
    avx2::ComputeRowsTile(tile);
  }
}

void ComputePackedTile(int lanes, const PackedTile& tile) {
  if (lanes == 16) {
    avx512::ComputePackedRowsTile(tile);
  } else {
    avx2::ComputePackedRowsTile(tile);
  }
}

}  // namespace dl::nn
