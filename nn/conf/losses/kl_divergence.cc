#include "nn/conf/losses/kl_divergence.h"

#include "nn/conf/layers/output.h"

namespace dl::nn {

void KlDivergence::Check(const Output& output, Mistakes& mistakes) const {
  RequireNoActivation(output, "softmax", kTag, mistakes);
  if (output.units == 1) {
    mistakes.Add("kl_divergence over one output is the same for every z",
                 "Use one unit for each part of the distribution");
  }
}

}  // namespace dl::nn
