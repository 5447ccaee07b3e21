// Double-precision functions that give the same bits on every CPU, compiler and libc. They use only
// + - * / sqrt on doubles, and exact operations on integers and bits, in a fixed order, compiled
// without contraction. For values that enter a result outside of engine kernels: schedules, Adam's
// bias correction, initializers. Accurate to a few ulp.
#pragma once

#include <cstdint>

namespace dl::portable {

inline double Sqrt(double x) { return __builtin_sqrt(x); }  // IEEE: correctly rounded everywhere

double Log(double x);  // natural logarithm; REQUIRES x > 0 and finite
double Exp(double x);  // infinity above 709.7, 0 below -708.3
// base^exponent. Exact if the exponent is 0 or 1; by squaring if it is a small integer.
// REQUIRES base >= 0, exponent >= 0, both finite
double Pow(double base, double exponent);
double CosTurns(double t);                      // cos(2 pi t); REQUIRES |t| <= 2^20
double SinTurns(double t);                      // sin(2 pi t); REQUIRES |t| <= 2^20
double PowInt(double base, uint64_t exponent);  // by squaring; base^0 = 1

}  // namespace dl::portable
