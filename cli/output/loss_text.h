// Formats losses as text.
#pragma once

#include <string>

namespace dl::cli {

// Returns `loss` with `digits` decimals: "0.3012". If this would leave less than two significant
// digits, and from a million on, uses an exponent: "1.100e-08".
std::string LossText(double loss, int digits);

}  // namespace dl::cli
