#include "executor/core/call.h"

#include <algorithm>

namespace dl::executor {
namespace {

constexpr int32_t kMaxRefusals = 2;

}  // namespace

void Call::ScheduleRetry(Instant now, const CoreOptions& options) {
  ++failures;
  Duration pause = options.first_backoff;
  for (int32_t i = 1; i < failures && pause < options.longest_backoff; ++i) pause *= 2;
  in_flight = false;
  due = now + std::min(pause, options.longest_backoff);
}

bool Call::IsRefusedForGood(const Status& status) {
  return (absl::IsDataLoss(status) || absl::IsInvalidArgument(status)) &&
         ++refusals >= kMaxRefusals;
}

}  // namespace dl::executor
