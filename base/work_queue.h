// Work that is done in order: each piece starts after the previous one has ended. Callers do not
// know which thread does the work, so that tests can run it on virtual time.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace dl {

// Thread-safe. The queue has no bound of its own: the caller bounds what it posts. The destructor
// drops queued work and waits until the running piece has ended.
class WorkQueue {
 public:
  virtual ~WorkQueue() = default;
  virtual void Post(std::function<void()> work) = 0;
};

// Makes a queue. `name` is shown as the name of its thread.
using MakeWorkQueue = std::function<std::unique_ptr<WorkQueue>(std::string name)>;

// Returns a queue with a thread of its own (base/worker_thread.h).
std::unique_ptr<WorkQueue> StartWorkerThread(std::string name);

}  // namespace dl
