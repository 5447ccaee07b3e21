#include "nn/backend/layout.h"

#include "nn/backend/onednn/onednn.h"

namespace dl::nn {
namespace {

// REQUIRES: not kFloat64, which oneDNN 2 lacks.
dnnl::memory::data_type OnednnTypeOf(DataType type) {
  switch (type) {
    case DataType::kInt32:
      return dnnl::memory::data_type::s32;
    case DataType::kUint8:
      return dnnl::memory::data_type::u8;
    case DataType::kFloat32:
    case DataType::kFloat64:
      break;
  }
  DL_CHECK(type == DataType::kFloat32);
  return dnnl::memory::data_type::f32;
}

dnnl::memory::dims RowMajorStrides(const dnnl::memory::dims& dims) {
  dnnl::memory::dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0; stride *= dims[i]) strides[i] = stride;
  return strides;
}

}  // namespace

Layout Layout::Plain(std::span<const int64_t> dims, DataType type) {
  const dnnl::memory::dims d(dims.begin(), dims.end());
  return MakeLayout(dnnl::memory::desc(d, OnednnTypeOf(type), RowMajorStrides(d)));
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

}  // namespace dl::nn
