#include "nn/canonical_tensors.h"

#include <algorithm>
#include <utility>

namespace dl::nn {

StatusOr<CanonicalTensors> CanonicalTensors::Create(std::span<const Source> sources) {
  CanonicalTensors made;
  int64_t largest = 0;
  for (const Source& source : sources) {
    if (!source.to_canonical->empty()) largest = std::max(largest, source.size);
  }
  DL_ASSIGN_OR_RETURN(made.copy_, FloatBuffer::Create(largest));
  made.floats_ = largest;
  for (const Source& source : sources) {
    Piece piece{.values = source.values, .size = source.size};
    if (!source.to_canonical->empty()) {
      DL_ASSIGN_OR_RETURN(piece.reorder, TensorCopy::Create(*source.to_canonical, source.values,
                                                            made.copy_.data()));
      piece.values = made.copy_.data();
      made.floats_ += piece.reorder.floats();
    }
    made.pieces_.push_back(std::move(piece));
  }
  return made;
}

StatusOr<std::span<const float>> CanonicalTensors::Get(size_t i) const {
  const Piece& piece = pieces_[i];
  if (!piece.reorder.empty()) DL_RETURN_IF_ERROR(piece.reorder.Run());
  return std::span<const float>(piece.values, static_cast<size_t>(piece.size));
}

}  // namespace dl::nn
