#include "nn/conf/layers/gamma_and_beta.h"

namespace dl::nn {

std::vector<ParameterConf> GammaAndBeta(int64_t channels, bool frozen) {
  return {
      {.name = "gamma",
       .shape = {channels},
       .initializer = {Initializer::Kind::kConstant, 1},
       .frozen = frozen},
      {.name = "beta", .shape = {channels}, .frozen = frozen},
  };
}

}  // namespace dl::nn
