// What an executor is, to its master, and the bounds that its core keeps to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "rpc/messages.h"

namespace dl::executor {

struct CoreOptions {
  std::string name;
  uint64_t incarnation = 1;
  int32_t slots = 1;
  std::string contract;
  std::string isa;
  std::string host;
  int32_t pid = 0;
  std::string version;
  int64_t unit_memory_bytes = 0;          // rpc::RegisterRequest
  std::vector<std::string> labels;        // likewise
  std::vector<rpc::CrashedUnit> crashed;  // what the incarnation before left; told once
  // Of results: on their way to the master, or kept for one that is started again. Beyond it those
  // that are only kept go, the oldest first, and while what is on its way alone is more, no work is
  // asked for.
  int64_t result_bytes = int64_t{1} << 30;
  // A thread that is still in a unit so long after that was given up is lost: many times the step
  // behind which it would have seen that.
  Duration thread_back = std::chrono::minutes(5);
  // Another process may come in this one's place. Else what such a thread has is lost until its
  // end, and what else there is goes on.
  bool starts_anew = true;
  // How long an executor that was registered before asks again when the master denies it.
  Duration denied_patience = limits::kDeniedPatience;
  Duration lease_wait = std::chrono::milliseconds(1000);
  Duration first_backoff = std::chrono::milliseconds(50);
  Duration longest_backoff = std::chrono::milliseconds(500);
};

}  // namespace dl::executor
