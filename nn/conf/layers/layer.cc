#include "nn/conf/layers/layer.h"

namespace dl::nn {

std::vector<ParameterConf> WeightKeys::WeightAndBias(std::vector<int64_t> shape, int64_t fan_in,
                                                     int64_t fan_out,
                                                     const WeightDefaults& defaults) const {
  const int64_t outputs = shape[0];
  const WeightInitConf init = weight_init.value_or(defaults.weight_init);
  std::vector<ParameterConf> parameters;
  parameters.push_back({.name = "weight",
                        .shape = std::move(shape),
                        .initializer = InitializerFor(init, fan_in, fan_out),
                        .l1 = l1.value_or(defaults.l1),
                        .l2 = l2.value_or(defaults.l2),
                        .weight_decay = weight_decay.value_or(defaults.weight_decay)});
  if (bias) {
    parameters.push_back(
        {.name = "bias", .shape = {outputs}, .initializer = BiasInitializerFor(init, fan_in)});
  }
  for (ParameterConf& parameter : parameters) {
    parameter.learning_rate_factor = learning_rate_factor;
    parameter.frozen = frozen;
  }
  return parameters;
}

}  // namespace dl::nn
