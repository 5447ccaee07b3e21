#include "nn/conf/layers/pool.h"

#include "base/json.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

template <typename Self, AnExtent Extent>
void Pool<Self, Extent>::FinishRead(JsonObjectReader& reader) {
  if (!reader.Has("stride")) window.stride = window.kernel;
}

template struct Pool<MaxPool2D, Extent2D>;
template struct Pool<AvgPool2D, Extent2D>;
template struct Pool<MaxPool3D, Extent3D>;
template struct Pool<AvgPool3D, Extent3D>;

}  // namespace dl::nn
