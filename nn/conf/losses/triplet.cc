#include "nn/conf/losses/triplet.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/output.h"

namespace dl::nn {

void Triplet::Check(const Output& output, Mistakes& mistakes) const {
  if (output.units % 3 == 0) return;
  mistakes.Add(absl::StrCat("gives ", output.units,
                            " values, but triplet needs three embeddings of one size"),
               "Let it read a concat of anchor, positive and negative, each with as many values");
}

}  // namespace dl::nn
