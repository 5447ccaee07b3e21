#include "nn/conf/layers/pool1d.h"

#include "base/json.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

template <typename Self>
void Pool1D<Self>::FinishRead(JsonObjectReader& reader) {
  if (!reader.Has("stride")) window.stride = window.kernel;
}

template struct Pool1D<MaxPool1D>;
template struct Pool1D<AvgPool1D>;

MaxPool2D MaxPool1D::As2D() const {
  MaxPool2D pool;
  pool.window = window.As2D();
  return pool;
}

AvgPool2D AvgPool1D::As2D() const {
  AvgPool2D pool;
  pool.count_padding = count_padding;
  pool.window = window.As2D();
  return pool;
}

std::vector<LayerSample> MaxPool1D::Samples() {
  return {
      {MaxPool1D(2), Sequence(6, 3)},
      {MaxPool1D(3).Stride(2).Padding(1), Sequence(7, 2)},
      {MaxPool1D(3).Stride(2).CeilMode(), Sequence(6, 2)},
      {MaxPool1D(4).Stride(3).SamePadding(), Sequence(8, 17)},
  };
}

std::vector<LayerSample> AvgPool1D::Samples() {
  return {
      {AvgPool1D(2), Sequence(6, 3)},
      {AvgPool1D(3).Stride(2).Padding(1), Sequence(7, 2)},
      {AvgPool1D(4).Stride(3).Padding(1).CeilMode(), Sequence(7, 2)},
      {AvgPool1D(3).Stride(2).Padding(1).CountPadding(), Sequence(7, 2)},
      {AvgPool1D(4).Stride(3).SamePadding(), Sequence(8, 17)},
  };
}

}  // namespace dl::nn
