// Options of an executor's core: the description of the executor that it sends to the master, and
// its limits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::executor {

struct CoreOptions {
  // Fields of rpc::RegisterRequest.
  std::string name;
  uint64_t incarnation = 1;
  int32_t slots = 1;
  std::vector<rpc::OfferedContract> contracts;
  std::string host;
  int32_t pid = 0;
  std::string version;
  int64_t unit_memory_bytes = 0;
  std::vector<std::string> labels;
  std::vector<rpc::CrashedUnit> crashed;  // units that crashed the previous process; reported once
  // Limit in bytes of results that are being delivered, together with delivered results that are
  // retained for a restarted master. Above the limit, retained results are dropped, the oldest
  // first. No work is requested while the results that are being delivered exceed it alone. Results
  // that are held for a gather do not count.
  int64_t result_bytes = int64_t{1} << 30;
  // If a thread still computes this long after its unit was aborted, the thread is considered lost.
  // Must be many times the duration of a step, because a thread checks for an abort once per step.
  Duration thread_return_timeout = std::chrono::minutes(5);
  // Whether this process can be replaced by a new one after a thread is lost. If not, the slot
  // stays unusable until the lost thread returns, and the other slots continue.
  bool can_restart = true;
  // How long the executor tries to register while the master denies it: before its first
  // registration, and afterwards. Zero: the first denial ends it.
  Duration first_denied_timeout = Duration::zero();
  Duration denied_timeout = limits::kDeniedTimeout;
  // How long the executor tries to register while a master accepts connections but does not answer.
  // Applies only if it was never registered; otherwise there is no limit.
  Duration silent_master_timeout = limits::kSilentMasterTimeout;
  Duration lease_wait = std::chrono::milliseconds(1000);  // rpc::LeaseRequest::wait_ms
  // Pause before a failed call is repeated. It is first_backoff after one failure, and doubles with
  // each further failure in a row, up to longest_backoff. A failed heartbeat is always repeated
  // after 2 * first_backoff, or after the heartbeat interval if that is shorter.
  Duration first_backoff = std::chrono::milliseconds(50);
  Duration longest_backoff = std::chrono::milliseconds(500);
};

}  // namespace dl::executor
