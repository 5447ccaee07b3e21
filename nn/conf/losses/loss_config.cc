#include "nn/conf/losses/loss_config.h"

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

void CheckClasses(const Output& output, std::string_view tag, const std::vector<double>& weights,
                  Mistakes& mistakes) {
  RequireNoActivation(output, "softmax", tag, mistakes);
  if (output.units == 1) {
    mistakes.Add(absl::StrCat(std::string(tag), " over one class is always 0"),
                 "Use one unit per class, or the loss binary_cross_entropy, or mean_squared_error");
  }
  if (static_cast<int64_t>(weights.size()) > output.units) {
    mistakes.Add(
        absl::StrCat("there are ", weights.size(), " class weights for ", output.units, " classes"),
        "Give at most one for each class");
  }
}

}  // namespace dl::nn
