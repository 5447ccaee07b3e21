#include "base/clock.h"

namespace dl {
namespace {

class RealClock : public Clock {
 public:
  Instant Now() const override {
    return {std::chrono::steady_clock::now().time_since_epoch() / Duration(1)};
  }
  int64_t WallUnixMs() const override {
    return std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
  }
};

}  // namespace

Clock& Clock::Real() {
  static RealClock clock;
  return clock;
}

double Seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace dl
