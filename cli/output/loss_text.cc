#include "cli/output/loss_text.h"

#include <cmath>

#include "absl/strings/str_format.h"

namespace dl::cli {

std::string LossText(double loss, int digits) {
  constexpr int kMinDigits = 2;     // significant digits
  constexpr double kTooLong = 1e6;  // would take too much of a line
  const double magnitude = std::abs(loss);
  const bool is_small = magnitude > 0 && magnitude < std::pow(10.0, kMinDigits - 1 - digits);
  if (is_small || (magnitude >= kTooLong && std::isfinite(loss)))
    return absl::StrFormat("%.*e", digits > 3 ? 3 : digits, loss);
  return absl::StrFormat("%.*f", digits, loss);
}

}  // namespace dl::cli
