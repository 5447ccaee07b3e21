#include "nn/kernels/strided_copy.h"

#include <algorithm>
#include <functional>

#include "nn/kernels/clones.h"

namespace dl::nn {
namespace {

constexpr int64_t kSquare = 16;  // floats of a cache line

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Copies `rows` x `columns` values, (r, c) from from[r + c * from_column] to to[r * to_row + c].
template <typename Value>
DL_ALWAYS_INLINE void TransposeValues(int64_t rows, int64_t columns, const Value* from,
                                      int64_t from_column, Value* to, int64_t to_row) {
  for (int64_t first = 0; first < columns; first += kSquare) {
    const int64_t last = std::min(columns, first + kSquare);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = first; c < last; ++c) to[r * to_row + c] = from[r + c * from_column];
  }
}

DL_ISA_CLONES void Transpose(int64_t rows, int64_t columns, const float* from, int64_t from_column,
                             float* to, int64_t to_row) {
  TransposeValues(rows, columns, from, from_column, to, to_row);
}
void Transpose(int64_t rows, int64_t columns, const uint8_t* from, int64_t from_column, uint8_t* to,
               int64_t to_row) {
  TransposeValues(rows, columns, from, from_column, to, to_row);
}

}  // namespace

StridedCopy::StridedCopy(std::span<const int64_t> dims, std::span<const int64_t> from,
                         std::span<const int64_t> to) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] > 1) axes.push_back({dims[i], from[i], to[i]});
  }
  std::ranges::sort(axes, std::greater(), &Axis::to);
  for (const Axis& axis : axes) {  // joins axes that are contiguous in both arrangements
    const bool joins = !outer_.empty() && outer_.back().from == axis.from * axis.size &&
                       outer_.back().to == axis.to * axis.size;
    if (joins) {
      outer_.back() = {outer_.back().size * axis.size, axis.from, axis.to};
    } else {
      outer_.push_back(axis);
    }
  }
  if (!outer_.empty()) {
    inner_ = outer_.back();
    outer_.pop_back();
  }
  const auto contiguous = std::ranges::find(outer_, 1, &Axis::from);
  if (contiguous != outer_.end()) {
    across_ = *contiguous;
    outer_.erase(contiguous);
  }
  pieces_ = CeilDiv(across_.size, kSquare);
  for (const Axis& axis : outer_) pieces_ *= axis.size;
}

int64_t StridedCopy::ValuesOfPiece() const { return std::min(across_.size, kSquare) * inner_.size; }

template <typename Value>
void StridedCopy::CopyPieces(IndexRange pieces, const Value* from, Value* to) const {
  const int64_t squares = CeilDiv(across_.size, kSquare);
  for (int64_t piece = pieces.begin; piece < pieces.end; ++piece) {
    const int64_t first = piece % squares * kSquare;
    const Value* source = from + first * across_.from;
    Value* result = to + first * across_.to;
    int64_t index = piece / squares;
    for (size_t i = outer_.size(); i-- > 0; index /= outer_[i].size) {
      source += index % outer_[i].size * outer_[i].from;
      result += index % outer_[i].size * outer_[i].to;
    }
    if (inner_.from == 1) {
      std::copy_n(source, inner_.size, result);
    } else {
      Transpose(std::min(kSquare, across_.size - first), inner_.size, source, inner_.from, result,
                across_.to);
    }
  }
}

template void StridedCopy::CopyPieces(IndexRange pieces, const float* from, float* to) const;
template void StridedCopy::CopyPieces(IndexRange pieces, const uint8_t* from, uint8_t* to) const;

}  // namespace dl::nn
