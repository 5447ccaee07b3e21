#include "nn/conf/losses/loss.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/kinds.h"
#include "nn/conf/layers/output.h"

namespace dl::nn {

void RequireNoActivation(const Output& output, std::string_view function, std::string_view tag,
                         Mistakes& mistakes) {
  if (output.activation.kind == ActivationKind::kIdentity) return;
  mistakes.Add(
      absl::StrCat("the activation is ", std::string(ActivationTag(output.activation.kind)),
                   ", but ", std::string(function), " is part of the loss ", std::string(tag)),
      "Leave the activation out");
}

}  // namespace dl::nn
