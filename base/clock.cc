#include "base/clock.h"

#include <ctime>

#include "base/scheduler.h"

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
  if (Scheduler* const scheduler = Scheduler::Installed()) return scheduler->clock();
  static RealClock clock;
  return clock;
}

Duration ThreadTime() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

double Seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace dl
