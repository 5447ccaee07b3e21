// Options of an executor's core: what it reports about itself to the master, and its bounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::executor {

struct CoreOptions {
  // As in rpc::RegisterRequest; `contract` and `isa` are its only contract.
  std::string name;
  uint64_t incarnation = 1;
  int32_t slots = 1;
  std::string contract;
  std::string isa;
  std::string host;
  int32_t pid = 0;
  std::string version;
  int64_t unit_memory_bytes = 0;
  std::vector<std::string> labels;
  std::vector<rpc::CrashedUnit> crashed;  // units that crashed the previous process; reported once
  // Bound in bytes on results that are being delivered or are retained for a restarted master.
  // Above it, retained results are dropped, oldest first. No work is requested while the results
  // being delivered alone exceed it.
  int64_t result_bytes = int64_t{1} << 30;
  // A thread that still computes this long after its unit was given up is considered lost. Must be
  // many times the duration of a step, because a thread notices the end of its unit after a step.
  Duration thread_back = std::chrono::minutes(5);
  // Whether this process can be replaced by a new one after a thread is lost. If not, the lost
  // thread's slot stays unusable until the process ends, and the other slots continue.
  bool can_restart = true;
  // How long an executor that was registered before keeps asking when the master denies it.
  Duration denied_patience = limits::kDeniedPatience;
  // How long an executor that was never registered asks a master that accepts connections and does
  // not answer.
  Duration silence_patience = limits::kSilencePatience;
  Duration lease_wait = std::chrono::milliseconds(1000);  // rpc::LeaseRequest::wait_ms
  // Pause before a failed call is repeated: the first, which doubles with each failure in a row,
  // and the longest.
  Duration first_backoff = std::chrono::milliseconds(50);
  Duration longest_backoff = std::chrono::milliseconds(500);
};

}  // namespace dl::executor
