#include "nn/activation_histograms.h"

#include <algorithm>
#include <span>

#include "nn/conf/layer_config.h"

namespace dl::nn {

void ActivationHistograms::Add(size_t layer, const Rows& rows, const float* values) {
  const int64_t all_rows = rows.layout.dims()[0];
  const int64_t stored = rows.layout.stored_elements() / all_rows * rows.rows;
  const int64_t elements = rows.layout.elements() / all_rows * rows.rows;
  counter_.Add(std::span(values, static_cast<size_t>(stored)));
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
