#include "nn/activation_histograms.h"

#include <algorithm>
#include <span>

#include "nn/conf/layer_config.h"
#include "nn/kernels/bf16.h"

namespace dl::nn {

void ActivationHistograms::Count(DataType type, const void* values, int64_t count) {
  if (type != DataType::kBf16) {
    counter_.Add({static_cast<const float*>(values), static_cast<size_t>(count)});
    return;
  }
  for (int64_t first = 0; first < count; first += kBf16Piece) {
    float piece[kBf16Piece];
    const int64_t size = std::min(kBf16Piece, count - first);
    WidenBf16(static_cast<const uint16_t*>(values) + first, piece, size);
    counter_.Add({piece, static_cast<size_t>(size)});
  }
}

void ActivationHistograms::Add(size_t layer, const Rows& rows, const void* values) {
  const int64_t all_rows = rows.layout.dims()[0];
  const int64_t stored = rows.layout.stored_elements() / all_rows * rows.rows;
  const int64_t elements = rows.layout.elements() / all_rows * rows.rows;
  Count(rows.layout.type(), values, stored);
  ValueHistogram counted = counter_.Take();
  // oneDNN requires that padding consists of zeros.
  if (const int64_t padding = stored - elements; padding > 0) {
    const auto zeros = std::ranges::find(counted.buckets, 0, &ValueHistogram::Bucket::index);
    if (zeros == counted.buckets.end() || zeros->count < padding) return;
    zeros->count -= padding;
    if (zeros->count == 0) counted.buckets.erase(zeros);
  }
  AddHistogram(by_layer_[layer], counted);
}

std::vector<LayerHistogram> ActivationHistograms::Of(const ModelConfig& model) const {
  std::vector<LayerHistogram> histograms;
  for (const auto& [index, values] : by_layer_) {
    const LayerConfig& layer = model.layers[index];
    if (layer.origin == LayerConfig::Origin::kUser)
      histograms.push_back({.layer = layer.name, .values = values});
  }
  return histograms;
}

}  // namespace dl::nn
