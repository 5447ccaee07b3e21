#include "cli/output/loss_text.h"

#include <cmath>

#include "absl/strings/str_format.h"

namespace dl::cli {

std::string LossText(double loss, int digits) {
  constexpr int kLeastDigits = 2;  // significant digits
  const double magnitude = std::abs(loss);
  if (magnitude > 0 && magnitude < std::pow(10.0, kLeastDigits - 1 - digits))
    return absl::StrFormat("%.*e", digits > 3 ? 3 : digits, loss);
  return absl::StrFormat("%.*f", digits, loss);
}

}  // namespace dl::cli
