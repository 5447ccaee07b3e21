#include "nn/kernels/conv/weight_gradient_tile.h"

#include <array>
#include <utility>

#include "nn/kernels/isa_target.h"
#include "nn/kernels/vectors.h"

namespace dl::nn {
namespace {

DL_TARGET_AVX2
namespace avx2 {

using namespace vectors_avx2;
constexpr int kMaxRows[] = {0, 12, 6, 4};
#include "nn/kernels/conv/weight_gradient_tile.inc"

}  // namespace avx2
DL_TARGET_END

DL_TARGET_AVX512
namespace avx512 {

using namespace vectors_avx512;
constexpr int kMaxRows[] = {0, 16, 12, 8};
#include "nn/kernels/conv/weight_gradient_tile.inc"

}  // namespace avx512
DL_TARGET_END

}  // namespace

int MaxTileRows(int lanes, int vectors) {
  return lanes == 16 ? avx512::kMaxRows[vectors] : avx2::kMaxRows[vectors];
}

void ComputeTile(int lanes, const WeightGradientTile& tile) {
  if (lanes == 16) {
    avx512::ComputeTile(tile);
  } else {
    avx2::ComputeTile(tile);
  }
}

}  // namespace dl::nn
