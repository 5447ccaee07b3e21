#include "nn/backend/blocked_layouts.h"

#include <algorithm>

#include "nn/backend/onednn/onednn.h"

namespace dl::nn {
namespace {

using Tag = dnnl::memory::format_tag;

Layout Tagged(std::span<const int64_t> dims, Tag tag) {
  return MakeLayout({{dims.begin(), dims.end()}, dnnl::memory::data_type::f32, tag});
}

constexpr dnnl_dim_t kSide = PairedWeights::kSide;

// Returns whether the innermost dimensions are this number of blocks, and nothing but the padding
// of blocks is added.
bool HasBlocks(const dnnl_memory_desc_t& desc, int blocks) {
  if (desc.ndims < 2 || desc.format_kind != dnnl_blocked || desc.offset0 != 0 ||
      desc.extra.flags != dnnl_memory_extra_flag_none)
    return false;
  for (int axis = 0; axis < desc.ndims; ++axis) {
    if (desc.padded_offsets[axis] != 0) return false;
  }
  return desc.format_desc.blocking.inner_nblks == blocks;
}

// Returns the distance of neighbours on all axes from `first` on, as if they were one axis. 0 for a
// single element. None if the distances differ.
std::optional<dnnl_dim_t> StepOfTaps(const dnnl_memory_desc_t& desc, int first) {
  const dnnl_dim_t* const strides = desc.format_desc.blocking.strides;
  dnnl_dim_t step = 0, expected = 0;
  for (int axis = desc.ndims; axis-- > first;) {
    if (desc.padded_dims[axis] == 1) continue;  // its stride has no meaning
    if (step == 0) step = expected = strides[axis];
    if (strides[axis] != expected) return std::nullopt;
    expected *= desc.padded_dims[axis];
  }
  return step;
}

// Weights whose axes are [groups, if any][outputs][inputs][taps...] and stand in memory as
// PairedWeights describes. Only the members about the weights themselves are set.
struct StoredWeights {
  int output = 0, input = 1;  // axes
  PairedWeights weights;

  static std::optional<StoredWeights> Of(const dnnl_memory_desc_t& desc) {
    if (!HasBlocks(desc, 2)) return std::nullopt;
    const dnnl_blocking_desc_t& blocking = desc.format_desc.blocking;
    const int input = static_cast<int>(blocking.inner_idxs[0]);
    const int output = static_cast<int>(blocking.inner_idxs[1]);
    const dnnl_dim_t width = blocking.inner_blks[1];
    if (input != output + 1 || output > 1 || blocking.inner_blks[0] != kSide || width % kSide != 0)
      return std::nullopt;
    StoredWeights stored{.output = output, .input = input};
    stored.weights.width = width;
    stored.weights.output_blocks = desc.padded_dims[output] / width;
    stored.weights.input_blocks = desc.padded_dims[input] / kSide;
    dnnl_dim_t expected = kSide * width;
    for (int axis = desc.ndims; axis-- > 0;) {
      dnnl_dim_t positions = desc.padded_dims[axis];
      if (axis > input) stored.weights.taps *= positions;
      if (axis == input) positions = stored.weights.input_blocks;
      if (axis == output) positions = stored.weights.output_blocks;
      if (positions > 1 && blocking.strides[axis] != expected) return std::nullopt;
      expected *= positions;
    }
    return stored;
  }
};

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

Layout TiledWeights(std::span<const int64_t> dims, PairedWeights::Pairs pairs) {
  const bool of_inputs = pairs == PairedWeights::Pairs::kOfInputs;
  const int first = of_inputs ? 1 : 0, second = 1 - first;  // axes: of the pairs, and the other
  dnnl_memory_desc_t desc = Layout::Plain(dims, DataType::kBf16).impl().desc.data;
  dnnl_blocking_desc_t& blocking = desc.format_desc.blocking;
  blocking.inner_nblks = 3;
  const dnnl_dim_t blocks[] = {kSide, kSide, 2};
  const int axes[] = {first, second, first};
  std::ranges::copy(blocks, blocking.inner_blks);
  std::ranges::copy(axes, blocking.inner_idxs);
  blocking.strides[first] = 2 * kSide * kSide;
  dnnl_dim_t stride = dims[first] * kSide;
  for (size_t axis = dims.size(); axis-- > 2; stride *= dims[axis]) blocking.strides[axis] = stride;
  blocking.strides[second] = stride;
  return MakeLayout(dnnl::memory::desc(desc));
}

std::optional<PairedWeights> PairedWeightsOf(const Layout& from, const Layout& to) {
  if (from.type() != DataType::kFloat32 || to.type() != DataType::kBf16) return std::nullopt;
  const dnnl_memory_desc_t& a = from.impl().desc.data;
  const dnnl_memory_desc_t& b = to.impl().desc.data;
  const auto stored = StoredWeights::Of(a);
  if (!stored || a.ndims != b.ndims || !HasBlocks(b, 3)) return std::nullopt;
  const int output = stored->output, input = stored->input;
  const dnnl_blocking_desc_t& blocking = b.format_desc.blocking;
  const bool of_inputs = blocking.inner_idxs[0] == input;
  const int first = of_inputs ? input : output, second = of_inputs ? output : input;
  if (blocking.inner_idxs[0] != first || blocking.inner_idxs[1] != second ||
      blocking.inner_idxs[2] != first || blocking.inner_blks[2] != 2)
    return std::nullopt;
  const dnnl_dim_t of_first = 2 * blocking.inner_blks[0], of_second = blocking.inner_blks[1];
  const auto tap_step = StepOfTaps(b, input + 1);
  if (of_first % kSide != 0 || of_second % kSide != 0 || !tap_step) return std::nullopt;
  for (int axis = 0; axis < a.ndims; ++axis) {
    if (a.dims[axis] != b.dims[axis] || a.padded_dims[axis] > b.padded_dims[axis])
      return std::nullopt;
  }
  PairedWeights weights = stored->weights;
  weights.pairs = of_inputs ? PairedWeights::Pairs::kOfInputs : PairedWeights::Pairs::kOfOutputs;
  weights.copy_outputs = (of_inputs ? of_second : of_first) / kSide;
  weights.copy_inputs = (of_inputs ? of_first : of_second) / kSide;
  weights.group_step = output == 0 ? 0 : blocking.strides[0] / 2;
  weights.output_step = blocking.strides[output] / 2;
  weights.input_step = blocking.strides[input] / 2;
  weights.tap_step = *tap_step / 2;
  return weights;
}

std::optional<BlockedMatrix> BlockedMatrixOf(const Layout& weights) {
  if (weights.type() != DataType::kFloat32) return std::nullopt;
  const dnnl_memory_desc_t& desc = weights.impl().desc.data;
  const auto stored = StoredWeights::Of(desc);
  if (!stored || stored->output != 0 || stored->weights.taps != 1) return std::nullopt;
  const BlockedMatrix matrix{.rows = desc.dims[0],
                             .columns = desc.dims[1],
                             .row_block = stored->weights.width,
                             .column_block = kSide};
  if (matrix.ColumnBlocks() != stored->weights.input_blocks) return std::nullopt;
  return matrix;
}

}  // namespace dl::nn
