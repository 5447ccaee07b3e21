#include "nn/conf/layers/scale_shift.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::vector<LayerSample> ScaleShift::Samples() {
  return {
      {ScaleShift(), FeedForward(5)},
      {ScaleShift().Factor(-0.5).Shift(2), Image(3, 4, 5)},
      {ScaleShift().Factor(1.5), Sequence(3, 4)},
      {ScaleShift().Factor(2).Shift(-1), Volume(3, 2, 3, 2)},
  };
}

}  // namespace dl::nn
