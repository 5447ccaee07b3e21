#include "nn/conf/layers/gamma_and_beta.h"

namespace dl::nn {

std::vector<ParameterConf> GammaAndBeta(int64_t channels) {
  return {
      {.name = "gamma", .shape = {channels}, .initializer = {Initializer::Kind::kConstant, 1}},
      {.name = "beta", .shape = {channels}},
  };
}

}  // namespace dl::nn
