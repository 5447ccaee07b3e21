#include "nn/conf/losses/focal.h"

#include "nn/conf/layers/output.h"

namespace dl::nn {

void Focal::Check(const Output& output, Mistakes& mistakes) const {
  CheckClasses(output, kTag, class_weights.values, mistakes);
}

}  // namespace dl::nn
