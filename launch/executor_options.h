// How an executor introduces itself.
#pragma once

#include <string>

#include "base/status.h"
#include "executor/core/core.h"

namespace dl::launch {

struct ExecutorIdentity {
  std::string name;  // empty: host and process id
  std::string isa;   // empty: the best of the machine
  int32_t slots = 1;
};

// Fixes the process's instruction set.
StatusOr<executor::CoreOptions> IntroduceExecutor(const ExecutorIdentity& identity);

}  // namespace dl::launch
