// How losses are printed for people.
#pragma once

#include <string>

namespace dl::cli {

// `loss` with `digits` after the decimal point: "0.3012". A loss that would lose most of its digits
// so has an exponent: "1.100e-08".
std::string LossText(double loss, int digits);

}  // namespace dl::cli
