#include "bench/core_limits/long_step.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/limits.h"
#include "gtest/gtest.h"

namespace dl::master {
namespace {

constexpr Duration kNominal = std::chrono::microseconds(1200);
constexpr double kMost = 4;

Duration FixedWork() {
  const Duration before = ThreadTime();
  std::map<std::string, std::vector<double>> units;
  for (uint32_t i = 0; i < 4096; ++i)
    units["unit " + std::to_string(i * 2'654'435'761u)].assign(64, static_cast<double>(i));
  double sum = 0;
  for (const auto& [name, values] : units) {
    for (const double value : values) sum += value;
  }
  EXPECT_EQ(sum, 64.0 * 4095 * 4096 / 2);
  return ThreadTime() - before;
}

}  // namespace

Duration LongStepHere() {
  constexpr int kTimes = 10;
  Duration least = Duration::max();
  for (int i = 0; i < kTimes; ++i) least = std::min(least, FixedWork());
  const double slower = std::clamp(Seconds(least) / Seconds(kNominal), 1.0, kMost);
  return std::chrono::duration_cast<Duration>(slower * limits::kLongStep);
}

}  // namespace dl::master
