#include "nn/backend/blocked_layouts.h"

#include "nn/backend/onednn/onednn.h"

namespace dl::nn {
namespace {

using Tag = dnnl::memory::format_tag;

Layout Tagged(std::span<const int64_t> dims, Tag tag) {
  return MakeLayout({{dims.begin(), dims.end()}, dnnl::memory::data_type::f32, tag});
}

// Whether a matrix [o, i] stands in memory as [o/block][i/rows][rows][block], where `rows` are a
// multiple of 16. In bf16, the rows of a block are interleaved in pairs. More axes have one
// position.
bool HasRowsInBlocks(const dnnl_memory_desc_t& desc, int pairs) {
  constexpr dnnl_dim_t kRows = 16;
  if (desc.ndims < 2 || desc.format_kind != dnnl_blocked || desc.offset0 != 0) return false;
  if (desc.padded_offsets[0] != 0 || desc.padded_offsets[1] != 0) return false;
  for (int axis = 2; axis < desc.ndims; ++axis) {
    if (desc.padded_dims[axis] != 1) return false;
  }
  const dnnl_blocking_desc_t& blocking = desc.format_desc.blocking;
  const dnnl_dim_t* const blocks = blocking.inner_blks;
  const dnnl_dim_t* const axes = blocking.inner_idxs;
  if (blocking.inner_nblks != 1 + pairs || blocks[0] != kRows || axes[0] != 1 || axes[1] != 0)
    return false;
  if (pairs == 2 && (blocks[2] != 2 || axes[2] != 1)) return false;
  const dnnl_dim_t rows = kRows * pairs, block = blocks[1];
  return desc.padded_dims[1] % rows == 0 && desc.padded_dims[0] % block == 0 &&
         blocking.strides[1] == rows * block && blocking.strides[0] == desc.padded_dims[1] * block;
}

}  // namespace

Layout BlockedImages(std::span<const int64_t> dims, int block) {
  return Tagged(dims, block == 16 ? Tag::nChw16c : Tag::nChw8c);
}

Layout BlockedWeights(std::span<const int64_t> dims, int block) {
  return Tagged(dims, block == 16 ? Tag::OIhw16i16o : Tag::OIhw8i8o);
}

Layout BlockedFirstWeights(std::span<const int64_t> dims, int block) {
  return Tagged(dims, block == 16 ? Tag::Ohwi16o : Tag::Ohwi8o);
}

std::optional<RowPairs> RowPairsOf(const Layout& from, const Layout& to) {
  if (from.type() != DataType::kFloat32 || to.type() != DataType::kBf16) return std::nullopt;
  const dnnl_memory_desc_t& a = from.impl().desc.data;
  const dnnl_memory_desc_t& b = to.impl().desc.data;
  constexpr int kPlain = 1, kPaired = 2;
  if (!HasRowsInBlocks(a, kPlain) || !HasRowsInBlocks(b, kPaired)) return std::nullopt;
  const dnnl_dim_t block = a.format_desc.blocking.inner_blks[1];
  if (block != b.format_desc.blocking.inner_blks[1] || a.padded_dims[0] != b.padded_dims[0])
    return std::nullopt;
  return RowPairs{
      .block = block, .in_group = a.padded_dims[1] / 2, .in_group_of_copy = b.padded_dims[1] / 2};
}

std::optional<BlockedMatrix> BlockedMatrixOf(const Layout& weights) {
  const dnnl_memory_desc_t& desc = weights.impl().desc.data;
  constexpr int kPlain = 1;
  if (weights.type() != DataType::kFloat32 || !HasRowsInBlocks(desc, kPlain)) return std::nullopt;
  const dnnl_blocking_desc_t& blocking = desc.format_desc.blocking;
  const BlockedMatrix matrix{.rows = desc.dims[0],
                             .columns = desc.dims[1],
                             .row_block = blocking.inner_blks[1],
                             .column_block = blocking.inner_blks[0]};
  if (matrix.ColumnBlocks() * matrix.column_block != desc.padded_dims[1]) return std::nullopt;
  return matrix;
}

}  // namespace dl::nn
