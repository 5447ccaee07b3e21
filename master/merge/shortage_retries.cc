#include "master/merge/shortage_retries.h"

#include <string>

#include "base/log.h"

namespace dl::master {

bool ShortageRetries::Wait(std::string_view what, const Status& why, Duration pause) {
  ++count_;
  LogWarning(
      "the master has too few file descriptors or too little memory and will try again soon: ",
      std::string(what), ": ", DescribeError(why));
  const Instant until = Clock::Real().Now() + pause;
  MutexLock lock(mutex_);
  while (!stop_) {
    const Duration left = until - Clock::Real().Now();
    if (left <= Duration::zero()) return true;
    stopped_.WaitFor(mutex_, left);
  }
  return false;
}

void ShortageRetries::Stop() {
  MutexLock lock(mutex_);
  stop_ = true;
  stopped_.NotifyAll();
}

}  // namespace dl::master
