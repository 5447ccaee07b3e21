#include "nn/conf/losses/ctc.h"

#include "nn/conf/layers/output.h"

namespace dl::nn {

void Ctc::Check(const Output& output, Mistakes& mistakes) const {
  RequireNoActivation(output, "softmax", kTag, mistakes);
  if (output.units != 1) return;
  mistakes.Add("gives one value, but ctc needs one for each class and one for the blank",
               "Give it one unit more than there are classes");
}

}  // namespace dl::nn
