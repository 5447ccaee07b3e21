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

// Returns the copy, or none if a layout has blocks or another type than float32.
std::optional<Primitive> CopyStrided(const Layout& from, const Layout& to) {
  if (from.type() != DataType::kFloat32 || to.type() != DataType::kFloat32) return std::nullopt;
  const auto strides = from.Strides(), wanted = to.Strides();
  if (!strides || !wanted) return std::nullopt;
  return OwnPrimitive(
      "transpose", {{Role::kSource, from}, {Role::kDestination, to}},
      [copy = StridedCopy(from.dims(), *strides, *wanted)](const BufferPointers& buffers) {
        ForRows(copy.pieces(), copy.FloatsOfPiece(), [&](int64_t begin, int64_t end) {
          copy.CopyPieces({begin, end}, buffers.Get<const float>(Role::kSource),
                          buffers.Get<float>(Role::kDestination));
        });
      },
      StepPart::Kind::kReorder);
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
