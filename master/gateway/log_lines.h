// Lines for whoever runs the master, written by a thread of their own: a full pipe must not hold up
// the core.
#pragma once

#include <string>

#include "base/worker_thread.h"

namespace dl::master {

// Thread-safe.
class LogLines {
 public:
  // Where too many wait to be written, it is lost.
  void Write(std::string line);

 private:
  WorkerThread thread_{"log"};
};

}  // namespace dl::master
