// C[b] = op(A[b]) op(B[b]) for b = 0 .. batch - 1. Matrices are plain, unless B is packed, and the
// matrices of a batch are contiguous. op transposes or does nothing. A is kSource, B is kWeights, C
// is kDestination.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "nn/backend/primitive.h"
#include "nn/conf/kernel_set.h"

namespace dl::nn {

struct MatrixProductGeometry {
  // Layout of a factor in memory: as the product reads it, or transposed.
  enum class Storage : uint8_t { kPlain, kTransposed };
  // Whether C is overwritten or added to.
  enum class Result : uint8_t { kSet, kAdd };

  int64_t batch = 1;
  int64_t rows = 1, inner = 1, columns = 1;  // op(A) [rows, inner], op(B) [inner, columns]
  Storage a = Storage::kPlain, b = Storage::kPlain;
  Result result = Result::kSet;
  // Whether B may have a layout with blocks, if oneDNN has a kernel for it. A kernel packs a plain
  // B in each product. Several products with one B are faster if the caller packs it once.
  bool packs_b = false;
  DataType factors = DataType::kFloat32;  // of A and B
  DataType product = DataType::kFloat32;  // of C
  KernelSet kernels = KernelSet::kNative;
};

// Returns the plain layout of B: op(B) with the strides of `b`.
Layout MatrixProductB(const MatrixProductGeometry& geometry);

// Returns the primitive. Its layout(Role::kWeights) is MatrixProductB unless B is packed. The bits
// of C are the same with and without packing. Returns the errors of nn/backend/primitive.h.
StatusOr<Primitive> MatrixProduct(const MatrixProductGeometry& geometry);

}  // namespace dl::nn
