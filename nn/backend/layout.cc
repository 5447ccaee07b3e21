#include "nn/backend/layout.h"

#include "nn/backend/onednn.h"

namespace dl::nn {
namespace {

dnnl::memory::dims RowMajorStrides(const dnnl::memory::dims& dims) {
  dnnl::memory::dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0; stride *= dims[i]) strides[i] = stride;
  return strides;
}

}  // namespace

Layout Layout::Plain(std::span<const int64_t> dims) {
  const dnnl::memory::dims d(dims.begin(), dims.end());
  return MakeLayout(dnnl::memory::desc(d, dnnl::memory::data_type::f32, RowMajorStrides(d)));
}

std::vector<int64_t> Layout::dims() const { return impl_->desc.dims(); }

int64_t Layout::elements() const {
  int64_t product = 1;
  for (int64_t d : impl_->desc.dims()) product *= d;
  return product;
}

int64_t Layout::storage_floats() const {
  return static_cast<int64_t>(impl_->desc.get_size() / sizeof(float));
}

bool Layout::is_plain() const { return *this == Plain(dims()); }

bool Layout::operator==(const Layout& other) const {
  if (empty() || other.empty()) return empty() && other.empty();
  return impl_->desc == other.impl_->desc;
}

}  // namespace dl::nn
