// Double-precision functions that give the same bits on every CPU, compiler and libc: only + - * /
// sqrt on doubles, in a fixed order, compiled without contraction. For whatever enters a result
// outside an engine kernel: schedules, Adam's bias correction, initializers. Accurate to a few ulp,
// which is all that is promised.
#pragma once

#include <cstdint>

namespace dl::portable {

inline double Sqrt(double x) { return __builtin_sqrt(x); }  // IEEE: correctly rounded everywhere

double Log(double x);  // natural logarithm; REQUIRES x > 0 and finite
double Exp(double x);  // infinity and 0 beyond the range of doubles
// base^exponent; exact where the exponent is 0 or 1, by squaring where it is whole and small.
// REQUIRES base >= 0, exponent >= 0, both finite
double Pow(double base, double exponent);
double CosTurns(double t);                      // cos(2 pi t); REQUIRES |t| <= 2^20
double SinTurns(double t);                      // sin(2 pi t)
double PowInt(double base, uint64_t exponent);  // by squaring; base^0 = 1

}  // namespace dl::portable
