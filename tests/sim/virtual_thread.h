// Threads of simulated processes. Code that blocks in the middle of its work runs on virtual time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/scheduler.h"
#include "tests/sim/fiber.h"

namespace dl::sim {

class VirtualThread;

// The threads of one process. Ends after all of them.
class ProcessThreads {
 public:
  struct Options {
    // Calls the function that much later, unless the process has ended by then.
    std::function<void(Duration, std::function<void()>)> later;
    // Time until a thread runs after it was started or a condition was notified. Called for each.
    std::function<Duration()> delay;
  };
  explicit ProcessThreads(Options options) : options_(std::move(options)) {}
  ~ProcessThreads();
  ProcessThreads(const ProcessThreads&) = delete;

  // The process ends: each wait of its threads returns early from now on.
  void End() { ended_ = true; }
  bool ended() const { return ended_; }
  // Runs each thread once.
  void RunAll();
  // Runs the threads in turn until that one is done. REQUIRES: End() was called.
  void RunToTheEnd(const VirtualThread& thread);

 private:
  friend class VirtualThread;
  const Options options_;
  bool ended_ = false;
  std::vector<VirtualThread*> threads_;  // that are not done
};

class VirtualThread final : public Scheduler::StartedThread {
 public:
  VirtualThread(ProcessThreads& process, std::function<void()> body);
  ~VirtualThread() override;

  // The thread that runs, or null.
  static VirtualThread* Running();
  // REQUIRES: a thread runs.
  static VirtualThread& Current();

  ProcessThreads& process() const { return process_; }
  bool done() const { return fiber_.done(); }

  // Runs the thread until it waits or is done. REQUIRES: no thread runs, and not done().
  void Run();
  // Runs it that much later, or after the process's delay. Replaces an earlier order.
  void RunAfter(Duration wait);
  void RunSoon() { RunAfter(process_.options_.delay()); }
  // Waits in the thread that runs, or ends the threads of a process that has ended.
  void Join() override;

  // The following are called by the thread itself.
  // Waits for the next Run().
  void Yield();
  // Returns early when the process ends.
  void Sleep(Duration span);
  // Looks at each Run() whether `until` returns true. Returns early when the process ends.
  void WaitUntil(const std::function<bool()>& until);

 private:
  ProcessThreads& process_;
  Fiber fiber_;
  int64_t order_ = 0;  // number of the last RunAfter()
  // Shared with no other owner: actions to come watch whether the thread still exists.
  const std::shared_ptr<bool> exists_ = std::make_shared<bool>(true);
};

}  // namespace dl::sim
