#include "speed/measured_steps.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace dl::speed {
namespace {

// Returns a value of /proc/self/status in bytes, 0 if it cannot be read.
int64_t OwnStatus(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != name + ":") continue;
    int64_t kib = 0;
    status >> kib;
    return kib << 10;
  }
  return 0;
}

}  // namespace

double LeastOf(const std::vector<double>& values) { return *std::ranges::min_element(values); }

ResidentGrowth::ResidentGrowth() {
  std::ofstream("/proc/self/clear_refs") << "5";  // resets VmHWM, see proc(5)
  before_ = OwnStatus("VmRSS");
}

int64_t ResidentGrowth::Bytes() const { return std::max<int64_t>(0, OwnStatus("VmHWM") - before_); }

}  // namespace dl::speed
