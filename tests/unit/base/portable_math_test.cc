#include "base/portable_math.h"

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "base/philox.h"
#include "gtest/gtest.h"

namespace dl::portable {
namespace {

// Returns the error of `value`, in units in the last place of a double near the true result.
double UlpsFrom(long double truth, double value) {
  const double near = static_cast<double>(truth);
  const double ulp =
      std::nextafter(std::fabs(near), std::numeric_limits<double>::infinity()) - std::fabs(near);
  return static_cast<double>(std::fabs(static_cast<long double>(value) - truth) / ulp);
}

double WorstOver(double low, double high, double (*ours)(double),
                 const std::function<long double(double)>& truth) {
  RandomStream stream({.seed = 1});
  double worst = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double x = low + (high - low) * stream.NextDouble();
    worst = std::max(worst, UlpsFrom(truth(x), ours(x)));
  }
  return worst;
}

TEST(PortableMath, LogIsAFewUlpsAway) {
  const auto truth = [](double x) { return std::log(static_cast<long double>(x)); };
  EXPECT_LE(WorstOver(1e-300, 1e-290, Log, truth), 3);
  EXPECT_LE(WorstOver(1e-3, 0.5, Log, truth), 3);
  EXPECT_LE(WorstOver(0.5, 2, Log, truth), 4);  // around 1, where the result is 0
  EXPECT_LE(WorstOver(2, 1e9, Log, truth), 3);
  EXPECT_EQ(Log(1.0), 0.0);
  EXPECT_LE(UlpsFrom(std::log(0x1.0p-1074L), Log(0x1.0p-1074)), 3) << "the smallest subnormal";
  EXPECT_LE(UlpsFrom(std::log(static_cast<long double>(std::numeric_limits<double>::max())),
                     Log(std::numeric_limits<double>::max())),
            3);
}

TEST(PortableMath, ExpIsAFewUlpsAway) {
  const auto truth = [](double x) { return std::exp(static_cast<long double>(x)); };
  EXPECT_LE(WorstOver(-1, 1, Exp, truth), 3);
  EXPECT_LE(WorstOver(-700, 700, Exp, truth), 3);
  EXPECT_EQ(Exp(0.0), 1.0);
  EXPECT_EQ(Exp(710), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Exp(-709), 0.0);
  EXPECT_TRUE(std::isnormal(Exp(-708.2)));
  EXPECT_TRUE(std::isnormal(Exp(709.6)));
}

TEST(PortableMath, PowersAreExactWhereTheyAreWhole) {
  EXPECT_EQ(Pow(0.3, 0), 1.0);
  EXPECT_EQ(Pow(0.3, 1), 0.3);
  EXPECT_EQ(Pow(0.0, 0), 1.0);
  EXPECT_EQ(Pow(0.0, 0.5), 0.0);
  EXPECT_EQ(Pow(0.7, 3), PowInt(0.7, 3));
  for (const double base : {1e-9, 0.3, 1.0, 1.7, 1e9}) {
    for (const double exponent : {0.25, 0.5, 1.75, 10.3}) {
      EXPECT_NEAR(Pow(base, exponent) / std::pow(base, exponent), 1.0, 1e-13)
          << base << "^" << exponent;
    }
  }
}

// The reference is the sine of the angle for the number of turns, in long double.
TEST(PortableMath, TurnsAreWithinAFewUlpsOfOne) {
  constexpr long double kTwoPi = 6.283185307179586476925286766559005768L;
  RandomStream stream({.seed = 2});
  for (int i = 0; i < 200'000; ++i) {
    const double t = (stream.NextDouble() - 0.5) * 8;
    const long double turn = t - std::floor(static_cast<long double>(t));
    ASSERT_NEAR(CosTurns(t), static_cast<double>(std::cos(kTwoPi * turn)), 4e-16) << t;
    ASSERT_NEAR(SinTurns(t), static_cast<double>(std::sin(kTwoPi * turn)), 4e-16) << t;
  }
}

TEST(PortableMath, TurnsAreExactAtQuarters) {
  for (double whole : {-3.0, 0.0, 1.0, 1048576.0}) {
    EXPECT_EQ(CosTurns(whole), 1.0);
    EXPECT_EQ(SinTurns(whole), 0.0);
  }
  EXPECT_EQ(CosTurns(0.25), 0.0);
  EXPECT_EQ(CosTurns(0.5), -1.0);
  EXPECT_EQ(SinTurns(0.25), 1.0);
  EXPECT_EQ(SinTurns(-0.25), -1.0);
  EXPECT_EQ(SinTurns(0.75), -1.0);
}

TEST(PortableMath, PowInt) {
  EXPECT_EQ(PowInt(0.0, 0), 1.0);
  EXPECT_EQ(PowInt(2.0, 10), 1024.0);
  EXPECT_EQ(PowInt(-3.0, 3), -27.0);
  EXPECT_LE(UlpsFrom(std::pow(static_cast<long double>(0.999), 1000), PowInt(0.999, 1000)), 1000);
}

// Equal on every machine, so the bits are recorded here. A change changes every job's result.
TEST(PortableMath, BitsAreFixed) {
  const auto bits = [](double value) { return std::bit_cast<uint64_t>(value); };
  EXPECT_EQ(bits(Log(10.0)), 0x40026bb1bbb55516u);
  EXPECT_EQ(bits(CosTurns(0.1)), 0x3fe9e3779b97f4a8u);
  EXPECT_EQ(bits(SinTurns(0.1)), 0x3fe2cf2304755a5eu);
  EXPECT_EQ(bits(PowInt(0.9, 100)), 0x3efbda056ed49422u);
}

}  // namespace
}  // namespace dl::portable
