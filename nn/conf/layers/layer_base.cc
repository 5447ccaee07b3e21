#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

ParameterConf StartKeys::Weight(std::string name, std::vector<int64_t> shape, const Fans& fans,
                                const WeightDefaults& defaults) const {
  ParameterConf weight{
      .name = std::move(name),
      .shape = std::move(shape),
      .initializer = InitializerFor(weight_init.value_or(defaults.weight_init), fans.in, fans.out),
      .l1 = l1.value_or(defaults.l1),
      .l2 = l2.value_or(defaults.l2),
      .weight_decay = weight_decay.value_or(defaults.weight_decay),
      .weight_constraint = weight_constraint.value_or(defaults.weight_constraint),
      .learning_rate_factor = learning_rate_factor,
      .frozen = frozen};
  if (weight.initializer.kind == Initializer::Kind::kOrthogonal) {
    // The matrix has a row for each output and all other dimensions as columns, whatever fan_in is.
    double columns = 1;
    for (size_t i = 1; i < weight.shape.size(); ++i)
      columns *= static_cast<double>(weight.shape[i]);
    weight.initializer.scale = columns;
  }
  return weight;
}

ParameterConf StartKeys::Bias(std::string name, int64_t outputs, int64_t fan_in,
                              const WeightDefaults& defaults) const {
  return {.name = std::move(name),
          .shape = {outputs},
          .initializer = BiasInitializerFor(weight_init.value_or(defaults.weight_init), fan_in),
          .learning_rate_factor = learning_rate_factor,
          .frozen = frozen};
}

void BiasKeys::CheckBias(Mistakes& mistakes) const {
  if (bias_init == 0) return;
  if (!bias) {
    mistakes.Add("has bias_init but no bias", R"(Leave "bias_init" out, or make it "bias": true)");
  } else if (weight_init == PyTorch()) {
    mistakes.Add("has bias_init, but weight_init pytorch draws biases at random",
                 R"(Leave "bias_init" out, or choose another "weight_init")");
  }
}

ParameterConf BiasKeys::Bias(std::string name, int64_t outputs, int64_t fan_in,
                             const WeightDefaults& defaults) const {
  ParameterConf parameter = StartKeys::Bias(std::move(name), outputs, fan_in, defaults);
  if (bias_init != 0) parameter.initializer = {Initializer::Kind::kConstant, bias_init};
  return parameter;
}

std::vector<ParameterConf> WeightKeys::WeightAndBias(std::vector<int64_t> shape, int64_t fan_in,
                                                     int64_t fan_out,
                                                     const WeightDefaults& defaults) const {
  const int64_t outputs = shape[0];
  std::vector<ParameterConf> parameters;
  parameters.push_back(Weight("weight", std::move(shape), {fan_in, fan_out}, defaults));
  if (bias) parameters.push_back(Bias("bias", outputs, fan_in, defaults));
  return parameters;
}

}  // namespace dl::nn
