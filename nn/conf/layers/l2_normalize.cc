#include "nn/conf/layers/l2_normalize.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::vector<LayerSample> L2Normalize::Samples() {
  return {
      {L2Normalize(), FeedForward(5)},
      {L2Normalize(), Sequence(4, 19)},
      {L2Normalize().Epsilon(0.1), Sequence(2, 3)},
  };
}

}  // namespace dl::nn
