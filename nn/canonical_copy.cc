#include "nn/canonical_copy.h"

#include <utility>

#include "nn/backend/parallel_for.h"

namespace dl::nn {

StatusOr<CanonicalCopy> CanonicalCopy::Create(std::span<const Source> sources, int64_t size) {
  CanonicalCopy copy;
  DL_ASSIGN_OR_RETURN(copy.buffer_, FloatBuffer::Create(size));
  copy.floats_ = size;
  for (const Source& source : sources) {
    Piece piece{.values = source.values, .offset = source.offset, .size = source.size};
    if (!source.to_canonical->empty()) {
      DL_ASSIGN_OR_RETURN(piece.reorder, TensorCopy::Create(*source.to_canonical, source.values,
                                                            copy.buffer_.data() + source.offset));
      copy.floats_ += piece.reorder.floats();
    }
    copy.pieces_.push_back(std::move(piece));
  }
  return copy;
}

StatusOr<std::span<const float>> CanonicalCopy::Refresh() {
  for (Piece& piece : pieces_) {
    if (!piece.reorder.empty()) {
      DL_RETURN_IF_ERROR(piece.reorder.Run());
    } else {
      CopyFloats(piece.values, piece.size, buffer_.data() + piece.offset);
    }
  }
  return std::span<const float>(buffer_.data(), buffer_.size());
}

}  // namespace dl::nn
