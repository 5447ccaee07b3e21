// Counts the outputs of a model's layers during a training step, in histograms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/value_histogram.h"
#include "nn/backend/layout.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// The histograms of all micro-batches are added. Not thread-safe.
class ActivationHistograms {
 public:
  // Rows of a tensor: the first `rows` of its layout. The first dimension counts rows.
  struct Rows {
    const Layout& layout;
    int64_t rows = 0;
  };
  // Counts the output of layer number `layer` of the model. Rows after the last step of an example
  // count, unless the layer computes only rows that count in the loss. The padding of a blocked
  // layout, which consists of zeros, does not count. REQUIRES: `values` has
  // layout.stored_elements() values of the layout's type, kFloat32 or kBf16.
  void Add(size_t layer, const Rows& rows, const void* values);

  // Returns the histograms by the name of the layer, in the order of the model. Adapters are left
  // out. So are layers whose output no step computed: their activation is computed after the
  // max-pooling that follows, or they pass an input of the model on.
  std::vector<LayerHistogram> Of(const ModelConfig& model) const;

 private:
  void Count(DataType type, const void* values, int64_t count);

  HistogramCounter counter_;
  std::map<size_t, ValueHistogram> by_layer_;
};

}  // namespace dl::nn
