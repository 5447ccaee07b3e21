#include "nn/conf/layers/global_pool1d.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

template <typename Self>
std::vector<LayerSample> GlobalPool1D<Self>::Samples() {
  return {
      {Self(), Sequence(4, 3)},
      {Self(), Sequence(1, 5)},
      {Self(), Sequence(7, 18)},
  };
}

template struct GlobalPool1D<GlobalAvgPool1D>;
template struct GlobalPool1D<GlobalMaxPool1D>;

}  // namespace dl::nn
