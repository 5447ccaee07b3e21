#include "nn/conf/losses/binary_cross_entropy.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/output.h"

namespace dl::nn {

void BinaryCrossEntropy::Check(const Output& output, Mistakes& mistakes) const {
  RequireNoActivation(output, "the logistic function", kTag, mistakes);
  const auto weights = static_cast<int64_t>(positive_weights.size());
  if (weights <= 1 || weights == output.units) return;
  mistakes.Add(absl::StrCat("positive_weights has ", weights, " numbers, but the layer has ",
                            output.units, " outputs"),
               "Give one number for all outputs, or one for each");
}

}  // namespace dl::nn
