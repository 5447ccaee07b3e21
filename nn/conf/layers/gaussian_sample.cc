#include "nn/conf/layers/gaussian_sample.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> GaussianSample::OutputType(const InputType& input,
                                                    Mistakes& mistakes) const {
  if (!input.IsSequence() && input.channels % 2 == 0) return FeedForward(input.channels / 2);
  mistakes.Add(absl::StrCat("takes as many means as variances, but its input is ", Describe(input)),
               input.IsSequence() ? "Put it after a last_step or flatten layer"
                                  : "Give it an even number of features");
  return std::nullopt;
}

std::vector<LayerSample> GaussianSample::Samples() {
  return {
      {GaussianSample(), FeedForward(6)},
      {GaussianSample(0), FeedForward(4)},
      {GaussianSample(0.3), FeedForward(34)},
  };
}

}  // namespace dl::nn
