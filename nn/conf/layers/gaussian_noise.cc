#include "nn/conf/layers/gaussian_noise.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::vector<LayerSample> GaussianNoise::Samples() {
  return {{GaussianNoise(0.25), FeedForward(7)},
          {GaussianNoise(0), FeedForward(3)},
          {GaussianNoise(1.5), Image(3, 4, 2)},
          {GaussianNoise(0.5), Sequence(3, 5)}};
}

}  // namespace dl::nn
