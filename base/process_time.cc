#include "base/process_time.h"

#include <time.h>

namespace dl {

Duration ProcessTime() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

}  // namespace dl
