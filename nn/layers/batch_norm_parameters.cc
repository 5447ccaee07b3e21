#include "nn/layers/batch_norm_parameters.h"

#include <utility>

namespace dl::nn {

Status BatchNormParameters::Plan(PlanBuilder& builder, const std::string& layer, int64_t channels) {
  const Layout vector = Layout::Plain(std::vector<int64_t>{channels});
  for (const auto& [name, id] :
       {std::pair{"gamma", &gamma}, {"beta", &beta}, {"mean", &mean}, {"variance", &variance}}) {
    DL_ASSIGN_OR_RETURN(*id, builder.Parameter(layer, name));
    DL_RETURN_IF_ERROR(builder.SetParameterLayout(*id, vector, vector));
  }
  return absl::OkStatus();
}

void RunningMoments::Take(const BatchNormMoments& batch) const {
  const auto keep = static_cast<float>(decay);
  const auto take = static_cast<float>(1.0 - decay);
  for (int64_t c = 0; c < channels; ++c) {
    mean[c] = keep * mean[c] + take * batch.mean[c];
    variance[c] = keep * variance[c] + take * batch.variance[c];
  }
}

}  // namespace dl::nn
