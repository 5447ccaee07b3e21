#include "nn/backend/layout.h"

#include "nn/backend/onednn/onednn.h"

namespace dl::nn {

// REQUIRES: not kFloat64, which oneDNN 2 lacks.
dnnl::memory::data_type OnednnTypeOf(DataType type) {
  switch (type) {
    case DataType::kInt32:
      return dnnl::memory::data_type::s32;
    case DataType::kUint8:
      return dnnl::memory::data_type::u8;
    case DataType::kBf16:
      return dnnl::memory::data_type::bf16;
    case DataType::kFloat32:
    case DataType::kFloat64:
      break;
  }
  DL_CHECK(type == DataType::kFloat32);
  return dnnl::memory::data_type::f32;
}

namespace {

dnnl::memory::dims RowMajorStrides(const dnnl::memory::dims& dims) {
  dnnl::memory::dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0; stride *= dims[i]) strides[i] = stride;
  return strides;
}

// Number of batch and channel axes, which come before the axes of the image.
constexpr int kLeading = 2;

// Returns the number of channels that are contiguous in a pixel: a block, all, or one.
int64_t ContiguousChannels(const dnnl_memory_desc_t& desc) {
  const dnnl_blocking_desc_t& blocking = desc.format_desc.blocking;
  if (blocking.inner_nblks == 1) return blocking.inner_blks[0];
  return blocking.strides[1] == 1 ? desc.dims[1] : 1;
}

// Sets the strides of images that stand in memory as [n][blocks of channels][axes...][inner].
void SetImageStrides(dnnl_memory_desc_t& desc, int64_t inner) {
  dnnl_dim_t* const strides = desc.format_desc.blocking.strides;
  int64_t stride = inner;
  for (int i = desc.ndims; i-- > kLeading; stride *= desc.dims[i]) strides[i] = stride;
  const int64_t blocks = desc.padded_dims[1] / inner;
  // oneDNN states the distance of blocks, or of channels if they are not blocked.
  const bool last =
      desc.format_desc.blocking.inner_nblks == 0 && inner == desc.dims[1] && inner > 1;
  strides[1] = last ? 1 : stride;
  strides[0] = stride * blocks;
}

}  // namespace

Layout Layout::Plain(std::span<const int64_t> dims, DataType type) {
  const dnnl::memory::dims d(dims.begin(), dims.end());
  return MakeLayout(dnnl::memory::desc(d, OnednnTypeOf(type), RowMajorStrides(d)));
}

Layout Layout::Strided(std::span<const int64_t> dims, std::span<const int64_t> strides) {
  return MakeLayout(dnnl::memory::desc({dims.begin(), dims.end()}, OnednnTypeOf(DataType::kFloat32),
                                       {strides.begin(), strides.end()}));
}

Layout Layout::ChannelsLast(std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = dims[1], pixels = 1;
  for (size_t i = dims.size(); i-- > kLeading; stride *= dims[i]) {
    strides[i] = stride;
    pixels *= dims[i];
  }
  if (dims[1] == 1 || pixels == 1) return Plain(dims);
  strides[0] = stride;
  strides[1] = 1;
  return Strided(dims, strides);
}

Layout Layout::As(DataType type) const {
  dnnl::memory::desc desc = impl_->desc;
  desc.data.data_type = dnnl::memory::convert_to_c(OnednnTypeOf(type));
  return MakeLayout(desc);
}

DataType Layout::type() const {
  switch (impl_->desc.data_type()) {
    case dnnl::memory::data_type::s32:
      return DataType::kInt32;
    case dnnl::memory::data_type::u8:
      return DataType::kUint8;
    case dnnl::memory::data_type::bf16:
      return DataType::kBf16;
    default:
      return DataType::kFloat32;
  }
}

std::vector<int64_t> Layout::dims() const { return impl_->desc.dims(); }

int64_t Layout::elements() const {
  int64_t product = 1;
  for (int64_t d : impl_->desc.dims()) product *= d;
  return product;
}

int64_t Layout::stored_elements() const {
  return static_cast<int64_t>(impl_->desc.get_size()) / BytesOf(type());
}

bool Layout::is_plain() const { return *this == Plain(dims(), type()); }

bool Layout::operator==(const Layout& other) const {
  if (empty() || other.empty()) return empty() && other.empty();
  return impl_->desc == other.impl_->desc;
}

std::optional<std::vector<int64_t>> Layout::Strides() const {
  const dnnl_memory_desc_t& desc = impl_->desc.data;
  if (desc.format_kind != dnnl_blocked || desc.offset0 != 0 ||
      desc.format_desc.blocking.inner_nblks > 0 || stored_elements() != elements())
    return std::nullopt;
  const dnnl_dim_t* const strides = desc.format_desc.blocking.strides;
  return std::vector<int64_t>(strides, strides + desc.ndims);
}

std::optional<PlanesInMemory> Layout::ImagePlanes() const {
  const dnnl_memory_desc_t& desc = impl_->desc.data;
  if (desc.format_kind != dnnl_blocked || desc.offset0 != 0) return std::nullopt;
  if (desc.ndims != kLeading + 2 && desc.ndims != kLeading + 3) return std::nullopt;
  const dnnl_blocking_desc_t& blocking = desc.format_desc.blocking;
  if (blocking.inner_nblks > 1 || (blocking.inner_nblks == 1 && blocking.inner_idxs[0] != 1))
    return std::nullopt;
  const int64_t inner = ContiguousChannels(desc);
  dnnl_memory_desc_t expected = desc;
  SetImageStrides(expected, inner);
  for (int i = 0; i < desc.ndims; ++i) {
    const int64_t step = i == 1 && blocking.inner_nblks == 1 ? inner : 1;
    if (desc.padded_offsets[i] != 0 ||
        desc.padded_dims[i] != (desc.dims[i] + step - 1) / step * step)
      return std::nullopt;
    // The stride of an axis with one position has no meaning.
    if (desc.padded_dims[i] > step &&
        blocking.strides[i] != expected.format_desc.blocking.strides[i])
      return std::nullopt;
  }
  return PlanesInMemory{.planes = desc.dims[0] * (desc.padded_dims[1] / inner), .inner = inner};
}

Layout Layout::WithAxes(std::span<const int64_t> axes) const {
  dnnl::memory::desc desc = impl_->desc;
  for (size_t i = 0; i < axes.size(); ++i)
    desc.data.dims[kLeading + i] = desc.data.padded_dims[kLeading + i] = axes[i];
  SetImageStrides(desc.data, ContiguousChannels(desc.data));
  return MakeLayout(desc);
}

}  // namespace dl::nn
