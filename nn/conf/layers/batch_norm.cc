#include "nn/conf/layers/batch_norm.h"

#include "nn/conf/layers/gamma_and_beta.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::vector<ParameterConf> BatchNorm::Parameters(const InputType& input,
                                                 const WeightDefaults&) const {
  std::vector<ParameterConf> parameters = GammaAndBeta(input.channels, frozen);
  parameters.push_back({.name = "mean", .kind = SegmentKind::kMean, .shape = {input.channels}});
  parameters.push_back({.name = "variance",
                        .kind = SegmentKind::kVariance,
                        .shape = {input.channels},
                        .initializer = {Initializer::Kind::kConstant, 1}});
  return parameters;
}

std::vector<LayerSample> BatchNorm::Samples() {
  return {
      {BatchNorm(), FeedForward(5)},
      {BatchNorm(), Image(3, 4, 5)},
      {BatchNorm().Epsilon(1e-3).Decay(0.5), Image(1, 3, 3)},
      {BatchNorm(), Volume(3, 2, 4, 3)},
      {BatchNorm().Decay(0.75), Sequence(4, 3)},
      {BatchNorm().Frozen(), FeedForward(4)},
      {BatchNorm().Epsilon(1e-2).Frozen(), Image(3, 2, 4)},
  };
}

}  // namespace dl::nn
