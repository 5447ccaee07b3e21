#include "nn/backend/blocked_layouts.h"

#include "nn/backend/onednn/onednn.h"

namespace dl::nn {
namespace {

using Tag = dnnl::memory::format_tag;

Layout Tagged(std::span<const int64_t> dims, Tag tag) {
  return MakeLayout({{dims.begin(), dims.end()}, dnnl::memory::data_type::f32, tag});
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

}  // namespace dl::nn
