#pragma once

#include <cmath>

namespace dl::reference {

inline double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace dl::reference
