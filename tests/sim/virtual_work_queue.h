// A work queue of a simulated process. Each task starts some time after it could, and may wait in
// the middle.
#pragma once

#include <deque>
#include <functional>

#include "base/clock.h"
#include "base/work_queue.h"
#include "tests/sim/virtual_thread.h"

namespace dl::sim {

class VirtualWorkQueue final : public WorkQueue {
 public:
  struct Options {
    ProcessThreads* process = nullptr;  // must outlive the queue
    std::function<Duration()> takes;    // returns the duration of a task
  };
  explicit VirtualWorkQueue(Options options)
      : options_(std::move(options)), thread_(*options_.process, [this] { Run(); }) {}
  // REQUIRES: the process has ended.
  ~VirtualWorkQueue() override { thread_.Join(); }

  void Post(std::function<void()> work) override;

 private:
  void Run();

  const Options options_;
  std::deque<std::function<void()>> queue_;
  bool idle_ = true;  // the thread waits for the next Post
  VirtualThread thread_;
};

}  // namespace dl::sim
