// Log lines for the operator, written by a separate thread, so that a full pipe does not block the
// core.
#pragma once

#include <string>

#include "base/worker_thread.h"

namespace dl::master {

// Thread-safe.
class LogLines {
 public:
  // Queues the line and returns at once. The line is dropped if too many lines are waiting.
  void Write(std::string line);

 private:
  WorkerThread thread_{"log"};
};

}  // namespace dl::master
