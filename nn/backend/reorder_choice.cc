// Chooses between oneDNN's copy to another layout and the project's. Both copy the same bits.
#include "nn/backend/blocked_layouts.h"
#include "nn/backend/onednn/onednn_reorder.h"
#include "nn/backend/own/own_kernel.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/blocked_copy.h"
#include "nn/kernels/strided_copy.h"

namespace dl::nn {
namespace {

// From blocks to rows, oneDNN takes 2.5 to 8 times longer than the project's loop if the matrix is
// small (Intel Emerald Rapids, AVX-512). Larger matrices are bound by memory, and oneDNN's order is
// better there.
constexpr int64_t kMostElements = int64_t{1} << 22;

Primitive Unblock(const BlockedMatrix& matrix, const Layout& from, const Layout& to) {
  return OwnPrimitive(
      "unblock", {{Role::kSource, from}, {Role::kDestination, to}},
      [matrix](const BufferPointers& buffers) {
        const auto* const blocks = buffers.Get<float>(Role::kSource);
        auto* const plain = buffers.Get<float>(Role::kDestination);
        ForRows(matrix.RowBlocks(), matrix.row_block * matrix.columns,
                [&](int64_t begin, int64_t end) {
                  UnblockRows(matrix, {begin, end}, blocks, plain);
                });
      },
      StepPart::Kind::kReorder);
}

template <typename Value>
Primitive Transpose(const StridedCopy& copy, const Layout& from, const Layout& to) {
  return OwnPrimitive(
      "transpose", {{Role::kSource, from}, {Role::kDestination, to}},
      [copy](const BufferPointers& buffers) {
        ForRows(copy.pieces(), copy.ValuesOfPiece(), [&](int64_t begin, int64_t end) {
          copy.CopyPieces({begin, end}, buffers.Get<const Value>(Role::kSource),
                          buffers.Get<Value>(Role::kDestination));
        });
      },
      StepPart::Kind::kReorder);
}

// Returns the copy. None if a layout has blocks, or values of a type that the copy lacks.
std::optional<Primitive> CopyStrided(const Layout& from, const Layout& to) {
  const auto strides = from.Strides(), wanted = to.Strides();
  if (!strides || !wanted || from.type() != to.type()) return std::nullopt;
  const StridedCopy copy(from.dims(), *strides, *wanted);
  switch (from.type()) {
    case DataType::kFloat32:
      return Transpose<float>(copy, from, to);
    case DataType::kUint8:
      return Transpose<uint8_t>(copy, from, to);
    default:
      return std::nullopt;
  }
}

}  // namespace

StatusOr<Primitive> Reorder(const Layout& from, const Layout& to) {
  if (to.type() == DataType::kFloat32 && to.is_plain() && to.elements() <= kMostElements) {
    if (const auto matrix = BlockedMatrixOf(from)) return Unblock(*matrix, from, to);
  }
  if (const auto copy = CopyStrided(from, to)) return *copy;
  return OnednnReorder(from, to);
}

}  // namespace dl::nn
