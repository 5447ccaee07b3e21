#include "launch/clusters/memory_throttle.h"

#include "base/log.h"
#include "base/machine_memory.h"

namespace dl::launch {

void MemoryThrottle::WarnIfThrottled() {
  const Instant now = Clock::Real().Now();
  if (warned_ || now < next_) return;
  next_ = now + std::chrono::seconds(2);
  const std::string limit = FindThrottlingLimit(root_);
  if (limit.empty()) return;
  warned_ = true;
  LogWarning("the kernel slows this run down because of ", limit,
             ": raise the limit, or use a smaller training.batch_size or fewer slots");
}

}  // namespace dl::launch
